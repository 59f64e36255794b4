/* Put around a live page: for every input event, how long until the page shows a reply at least as new.
 * window.drag.shown: milliseconds until the DOM holds it; .painted: until the frame with it has been drawn. */
(() => {
  const drag = (window.drag = { shown: [], painted: [], request: "" });
  let events = []; // their times, not shown yet
  let answered = [];
  addEventListener("input", () => events.push(performance.now()), true);

  const runtime = window.LessonRuntime;
  const askAll = runtime.askAll;
  runtime.askAll = (requests, how) => {
    const covers = events.slice();
    [drag.request] = requests;
    return askAll(requests, how).map(async (answer) => {
      const reply = await answer;
      if (reply !== null) answered = covers;
      return reply;
    });
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
