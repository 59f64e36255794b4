"""No test may find what another one has calculated."""

import pytest

from lessoncore.portions import forget


@pytest.fixture(autouse=True)
def _nothing_calculated_yet() -> None:
    forget()
