"""The pieces that pictures are drawn with. Colours come from CSS classes, text keeps the page's colour."""

from lessoncore.views.markup import attribute, escape
from lessoncore.views.markup import coordinate as at


def picture(
    size: str, width: float, height: float, title: str, description: str, body: str, key: str, role: str = "img"
) -> str:
    """Wrap ``body`` as an SVG picture with a title and a description for those who can't see it.

    ``size`` is "wide" or "narrow": the page shows one of the two, so that text stays readable on a phone.
    ``key`` makes the ids unique on the page. A picture in which something can be taken hold of has the role
    "group": what is inside an "img" is out of a screen reader's reach. The style sheet hears how tall it is, so as not
    to draw it too small where there is little room.
    """
    title_id, description_id = f"{key}-{size}-t", f"{key}-{size}-d"
    named = f'"{title_id} {description_id}"' if role == "img" else f'"{title_id}" aria-describedby="{description_id}"'
    return (
        f'<svg class="lc-picture lc-picture--{size}" viewBox="0 0 {at(width)} {at(height)}"'
        f' style="--tall:{at(height)}" role="{role}"'
        f" aria-labelledby={named}>"
        f'<title id="{title_id}">{escape(title)}</title><desc id="{description_id}">{escape(description)}</desc>'
        f"{body}</svg>"
    )


def rect(x: float, y: float, width: float, height: float, cls: str, extra: str = "") -> str:
    """A rectangle; nothing at all where it would have no size."""
    if width <= 0 or height <= 0:
        return ""
    return (
        f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" class="{cls}"'
        + (f" {extra}" if extra else "")
        + "/>"
    )


def text(x: float, y: float, words: str, cls: str = "", anchor: str = "") -> str:
    """A line of text at a baseline; nothing at all without words."""
    if not words:
        return ""
    return (
        f'<text x="{at(x)}" y="{at(y)}"'
        + (f' class="{cls}"' if cls else "")
        + (f' text-anchor="{anchor}"' if anchor else "")
        + f">{escape(words)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, cls: str, extra: str = "") -> str:
    """A straight line."""
    return (
        f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}" class="{cls}"'
        + (f" {extra}" if extra else "")
        + "/>"
    )


def telling(figure: str, drawn: str, instead: str) -> str:
    """A shape that tells a figure to the eye, and what stands there while the page asks for it (lessoncore.asked)."""
    return f'<g class="lc-tells-{figure}">{drawn}</g><g class="lc-instead-{figure}" display="none">{instead}</g>'


def text_width(words: str, size: float = 12.0) -> float:
    """Width that a line of text needs, estimated high (0.58 em a letter in the sans-serif fonts of the page)."""
    return len(words) * size * 0.58


def film(name: str, start_s: float, duration_s: float, steps: int = 0, times: int = 1, by: float = 0) -> str:
    """Attributes that make an element move while the film plays from ``start_s`` for ``duration_s``.

    The motion itself is a CSS keyframe rule called ``name``; the page's clock only sets ``--at``. It is repeated
    ``times`` times; ``by`` is how far it goes where the rule asks for that.
    """
    timing = f";--steps:steps({steps})" if steps else ""
    timing += (f";--times:{times}" if times != 1 else "") + (f";--by:{by:.5g}px" if by else "")
    style = f"--move:lc-{name};--from:{start_s:.5g}s;--for:{max(duration_s, 1e-6):.5g}s{timing}"
    return f'style="{attribute(style)}"'
