"""A picture's numbers as a table, for those who can't see it or want to copy them."""

from lessoncore.views.markup import escape


def data_table(head: list[str], rows: list[list[str]]) -> str:
    """A table folded away below a picture; the first column names its row."""
    columns = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    )
    return (
        '<details class="lc-data"><summary>The picture as a table</summary><div class="lc-scroll" tabindex="0"'
        f' role="group" aria-label="The picture as a table"><table class="lc-data__table">'
        f"<thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table></div></details>"
    )
