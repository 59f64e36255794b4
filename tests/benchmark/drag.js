/* Put around a live page: for every input event, how long until the page shows a reply at least as new.
 * window.drag.shown: milliseconds until the DOM holds it; .painted: until the frame with it has been drawn. */
(() => {
  const drag = (window.drag = { shown: [], painted: [], asked: 0, answered: 0, dropped: 0, request: "" });
  let events = []; // their times, not shown yet
  let answered = [];
  addEventListener("input", () => events.push(performance.now()), true);

  const runtime = window.LessonRuntime;
  const ask = runtime.ask;
  runtime.ask = async (request, how) => {
    const covers = events.slice();
    drag.asked += 1;
    drag.request = request;
    const reply = await ask(request, how);
    drag[reply === null ? "dropped" : "answered"] += 1;
    if (reply !== null) answered = covers;
    return reply;
  };

  const page = window.Lesson.page;
  const show = page.show;
  page.show = function (...reply) {
    show.apply(this, reply);
    const covered = answered;
    events = events.filter((at) => !covered.includes(at));
    drag.shown.push(...covered.map((at) => performance.now() - at));
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => drag.painted.push(...covered.map((at) => performance.now() - at));
      port2.postMessage(0);
    });
  };
})();
