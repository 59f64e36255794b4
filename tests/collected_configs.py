"""The collected config.json files, what a table counts for each of them, and which are refused."""

import csv
from pathlib import Path

CONFIGS = Path(__file__).parent / "core" / "configs"
FILES = sorted(path.name for path in CONFIGS.glob("*.config.json"))
EXPECTED = {row["file"]: row for row in csv.DictReader((CONFIGS / "EXPECTED.csv").read_text().splitlines())}

# What is refused, and the words that must say why.
REFUSED = {
    "MiniMaxAI--MiniMax-M3": "sparse_attention_config",
    "deepseek-ai--DeepSeek-V3.2": "indexer (index_topk)",
    "deepseek-ai--DeepSeek-V4-Flash": "compress_ratios",
    "deepseek-ai--DeepSeek-V4-Pro": "compress_ratios",
    "moonshotai--Kimi-K3": "Kimi Delta Attention",
    "zai-org--GLM-5": "indexer (index_topk)",
    "zai-org--GLM-5.2": "indexer (index_topk)",
}
SUPPORTED = [name for name in FILES if name.removesuffix(".config.json") not in REFUSED]

# Where the collected table counts every layer's cache as if it were the first's, and what the layers really keep.
OTHER_KV = {
    # 9 layers of 4 heads and 39 of 8, each with a key of 192 and a value of 128
    "XiaomiMiMo--MiMo-V2-Flash": 2 * (192 + 128) * (9 * 4 + 39 * 8),
    # 25 layers of 8 heads of 256 and 5 of 2 heads of 512
    "google--gemma-4-26B-A4B": 2 * 2 * (25 * 8 * 256 + 5 * 2 * 512),
    # 6 of the 52 layers attend
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 2 * 2 * 6 * 2 * 128,
}
