"""The same Python gives the same reply here and in the browser."""

import json

import pytest
from playwright.sync_api import Page
from requests_to_try import random_requests

from lessoncore import respond


@pytest.mark.two_pairs
def test_fifty_random_requests_get_the_same_reply(live_page: Page) -> None:
    for request in random_requests(50, seed=7):
        text = json.dumps(request)
        assert live_page.evaluate("(text) => window.LessonRuntime.ask(text)", text) == respond(text), text
