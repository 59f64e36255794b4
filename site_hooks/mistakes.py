"""An author's mistakes: where, what, and what would be right."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One mistake. ``line`` counts from 1 in the file as the author sees it; ``example`` is correct YAML."""

    line: int
    message: str
    example: str = ""

    def text(self, file: str) -> str:
        """The mistake as a compiler would print it: file, line, message, and an example below."""
        shown = "".join(f"\n      {line}" for line in self.example.splitlines())
        return f"{file}:{self.line}: {self.message}" + (f"\n    A correct example:{shown}" if shown else "")


class LessonMistakes(Exception):
    """All mistakes of a page, in the order of its lines."""

    def __init__(self, file: str, mistakes: list[Mistake]) -> None:
        self.file = file
        self.mistakes = sorted(mistakes)
        count = f"{len(mistakes)} mistake{'s' if len(mistakes) > 1 else ''} in {file}"
        super().__init__("\n".join([count, *_texts(file, self.mistakes)]))


def _texts(file: str, mistakes: list[Mistake]) -> list[str]:
    """The mistakes in words, an example only with the first that it helps."""
    shown: set[str] = set()
    texts = []
    for mistake in mistakes:
        texts.append((replace(mistake, example="") if mistake.example in shown else mistake).text(file))
        shown.add(mistake.example)
    return texts
