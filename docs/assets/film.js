/* Plays, stops and scrubs a picture that moves. The picture's motions are CSS, drawn by Python; this is their clock:
 * it sets --at on the picture and shows the captions that Python wrote for that moment. */
"use strict";
(() => {
  if (window.LessonFilm) return;
  const playing = new Set();

  class Film {
    constructor(stage) {
      this.stage = stage;
      this.player = stage.querySelector(".lc-player");
      this.share = null; // of the whole film; null: in its telling state, nobody has touched it
      this.redrawn();
    }

    /* The picture has been replaced: show the same moment of the new one. */
    redrawn() {
      this.picture = this.stage.querySelector(".lc-film");
      this.data = JSON.parse(this.picture.dataset.film);
      this.show();
    }

    show() {
      const share = this.share ?? this.data.still;
      const seconds = share * this.data.seconds;
      this.picture.style.setProperty("--at", `${seconds}s`);
      const scrub = this.player.querySelector(".lc-player__scrub");
      scrub.value = Math.round(share * scrub.max);
      const caption = this.data.captions.findLast(([from]) => from <= share);
      for (const place of this.stage.querySelectorAll("[data-caption]")) place.textContent = caption[place.dataset.caption];
      scrub.setAttribute("aria-valuetext", `${caption[1]}, ${caption[2]}`);
    }

    seek(share) {
      this.share = Math.min(1, Math.max(0, share));
      this.show();
    }

    toggle() {
      if (playing.has(this)) return this.stop();
      if (this.share === null || this.share >= 1) this.share = 0;
      this.last = performance.now();
      playing.add(this);
      this.mark(true);
      requestAnimationFrame((now) => this.tick(now));
    }

    stop() {
      playing.delete(this);
      this.mark(false);
    }

    mark(on) {
      const button = this.player.querySelector(".lc-player__play");
      button.setAttribute("aria-label", on ? "Pause" : "Play");
      button.setAttribute("aria-pressed", String(on));
    }

    tick(now) {
      if (!playing.has(this)) return;
      if (!this.stage.isConnected) return playing.delete(this); // the reader went to another page
      const speed = Number(this.player.querySelector("select").value);
      this.seek(this.share + (Math.max(0, now - this.last) / 1000 * speed) / this.data.seconds);
      this.last = now;
      if (this.share >= 1) this.stop();
      else requestAnimationFrame((later) => this.tick(later));
    }
  }

  window.LessonFilm = Film;
})();
