/// The one time of a page: played, paused, scrubbed.
export class Player {
  time: number;
  speed = 1;
  playing = false;
  looping = true;
  private from: number;
  private to: number;
  private frame = 0;
  private last = 0;
  private readonly listeners: ((player: Player) => void)[] = [];

  constructor(from: number, to: number) {
    this.from = from;
    this.to = to;
    this.time = from;
  }
  get start(): number {
    return this.from;
  }
  get end(): number {
    return this.to;
  }
  on_change(listener: (player: Player) => void): void {
    this.listeners.push(listener);
  }
  set_span(from: number, to: number): void {
    this.from = from;
    this.to = to;
    this.seek(this.time);
  }
  seek(t: number): void {
    this.time = Math.min(this.to, Math.max(this.from, t));
    this.tell();
  }
  play(): void {
    if (this.playing) return;
    if (this.time >= this.to) this.time = this.from;
    this.playing = true;
    this.last = performance.now();
    const step = (now: number) => {
      if (!this.playing) return;
      this.advance((now - this.last) / 1000);
      this.last = now;
      if (this.playing) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
    this.tell();
  }
  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /// A hidden page or a slow frame does not make the robot jump: a tenth of a second at most.
  private advance(seconds: number): void {
    let t = this.time + this.speed * Math.min(Math.max(seconds, 0), 0.1);
    if (t >= this.to) {
      if (this.looping) t = this.from;
      else {
        t = this.to;
        this.playing = false;
      }
    }
    this.time = t;
    this.tell();
  }
  private tell(): void {
    for (const listener of this.listeners) listener(this);
  }
}
