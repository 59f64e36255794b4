"""What a prediction turned out to be: the reader's guess beside the answer."""

from typing import Any

from lessoncore.errors import LessonError
from lessoncore.units import JOINER, Shown, parse_number
from lessoncore.views.markup import escape


def against(guess: str | None, shown: Shown, spec: dict[str, Any]) -> str:
    """Compare a guess with the number that answers the question; without a guess just say it.

    ``spec`` has ``scale``, the unit of both, ``close``, how far off still counts as close, ``gaps``, what to say
    when it was less or more, and ``between``, the ends of the guess's slider.
    """
    if guess is None:
        return f"<p>It is <b>{escape(str(shown))}</b>.</p>"
    number, right, close = parse_number(guess), float(shown.number.strip("<>").replace(",", "")), spec["close"]
    if isinstance(close, bool) or not isinstance(close, int | float):
        raise LessonError("how far off counts as close must be a number.")
    scale = spec["scale"]
    said = f"{number:g}{'' if scale in ('%', '') else JOINER}{scale}"
    marks = _marks(number, right, said, str(shown), spec.get("between"))
    if abs(number - right) <= close:
        return f"<p><b>Close:</b> you said {escape(said)}, it is <b>{escape(str(shown))}</b>.</p>{marks}"
    side = "less" if number < right else "more"
    words = next((g["say"] for g in spec["gaps"] if isinstance(g, dict) and g.get("when") == side), "")
    return f"<p>You said {escape(said)}. It is <b>{escape(str(shown))}</b>. {escape(str(words))}</p>{marks}"


def _marks(guess: float, right: float, said: str, shown: str, between: Any) -> str:
    """Both on one line, for the eye; the sentence above says the same."""
    if not isinstance(between, list) or len(between) != 2 or not all(isinstance(end, int | float) for end in between):
        return ""
    low, high = between
    if not low < high:
        return ""

    def mark(value: float, words: str, cls: str) -> str:
        at = min(1.0, max(0.0, (value - low) / (high - low)))
        return (
            f'<span class="lc-gap__mark lc-gap__mark--{cls}" style="--at:{at:.4f}"><span>{escape(words)}</span></span>'
        )

    return (
        f'<div class="lc-gap" aria-hidden="true">{mark(guess, f"you: {said}", "you")}'
        f'<span class="lc-gap__line"></span>{mark(right, shown, "right")}</div>'
    )


def chosen(guess: str | None, choices: list[Any], told: str) -> str:
    """Say whether the chosen option was right and what the right one is; ``told`` is the figure that shows it."""
    options = [option for option in choices if isinstance(option, dict)]
    right = next((option for option in options if option.get("right") is True), None)
    if right is None:
        raise LessonError("one of the choices must be right.")
    mine = (
        options[int(guess)]
        if guess and guess.isascii() and guess.isdecimal() and int(guess[:4]) < len(options)
        else None
    )
    text, say = escape(str(right.get("text", ""))), escape(str(right.get("say", "")))
    figure = f' <span class="lc-choice__figure">{escape(told)}.</span>' if told else ""
    if mine is right:
        return f"<p><b>Right:</b> {text} {say}{figure}</p>"
    answer = f"<p>It is: <b>{text}</b> {say}{figure}</p>"
    if mine is None:
        return answer
    return f"<p>You said: {escape(str(mine.get('text', '')))} {escape(str(mine.get('say', '')))}</p>{answer}"
