"""The same Python gives the same reply here and in the browser."""

import pytest
from going_on import answered
from playwright.sync_api import Page
from requests_to_try import queue_requests, random_requests

from lessoncore import respond

ASK = "(text) => window.LessonRuntime.ask(text)"


@pytest.mark.two_pairs
def test_fifty_random_requests_get_the_same_reply(live_page: Page) -> None:
    for request in random_requests(50, seed=7):
        there = answered(request, lambda text: str(live_page.evaluate(ASK, text)))
        assert there == answered(request, respond), request


@pytest.mark.two_pairs
def test_long_calculations_end_the_same(live_page: Page) -> None:
    for request in queue_requests():
        there = answered(request, lambda text: str(live_page.evaluate(ASK, text)))
        assert there == answered(request, respond), request
