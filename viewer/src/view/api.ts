/// What the server of `torsor view` answers (viewer/server/session.hpp lists the verbs).
import type { Robot } from "../robot";

export interface Coordinate {
  name: string;
  measure: "angle" | "length" | "none";
  lower: number | null;
  upper: number | null;
}
export interface BodyOfRobot {
  name: string;
  joint: string;
  kind: string;
  q: [number, number]; /// first, count
  v: [number, number];
  inertia: { mass: number; place: number[]; radii: number[] } | null;
}
export interface RobotAnswer {
  name: string;
  n_q: number;
  n_v: number;
  coordinates: Coordinate[];
  dofs: { name: string; measure: string }[];
  bodies: BodyOfRobot[];
  loops: boolean;
  can_run: boolean;
  frames: string[];
  laws: { name: string; claim: string }[];
  findings: string[];
  missing: string[];
}
export interface EllipsoidAnswer {
  axes: number[][]; /// three unit vectors, in the world
  radii: (number | null)[]; /// null: infinite
}
export interface StateAnswer {
  version: number;
  q: number[];
  qd: number[];
  qdd: number[];
  poses: number[]; /// 7 for each body but the world
  reference: string;
  com: number[];
  mass: number;
  tool: {
    frame: string;
    T: number[]; /// 16, row by row
    rpy: number[];
    quaternion: number[];
    manipulability: number;
    inverse_condition: number;
    rank: number;
    velocity_ellipsoid: EllipsoidAnswer;
    angular_ellipsoid: EllipsoidAnswer;
    force_ellipsoid: EllipsoidAnswer;
  };
  matrices: {
    M: number[][];
    C: number[][];
    J: number[][];
    g: number[];
    tau: number[];
    kinetic: number;
    potential: number;
  };
  warnings: string[];
  loop_error?: number;
}
export interface Branch {
  q: number[];
  name: string;
  inside_limits: boolean;
  poses: number[];
}
export interface ReachAnswer {
  reached: boolean;
  method: string;
  message: string;
  position_only: boolean;
  branches: Branch[];
  state: StateAnswer;
}
export interface GainAnswer {
  name: string;
  unit: string;
  meaning: string;
  values: number[] | null;
}
export interface Columns {
  names: string[];
  values: (number | null)[][];
}
export interface RunAnswer {
  law: string;
  stop: string;
  message: string;
  t: number[];
  poses: number[][];
  e: Columns;
  tau: Columns;
  lyapunov: Columns;
  conditions: { name: string; verdict: string; satisfied: boolean; text: string }[];
  predictions: { name: string; predicted: number | null; observed: number | null; kept: boolean }[];
  lyapunov_increase: number | null;
  gains: GainAnswer[];
  seconds: number;
}

/// Asks; a refusal is an Error with the server's one line.
export async function ask<Answer>(verb: string, request?: object): Promise<Answer> {
  const response = await fetch(`api/${verb}`, {
    method: request ? "POST" : "GET",
    headers: request ? { "Content-Type": "application/json" } : {},
    body: request ? JSON.stringify(request) : undefined,
    cache: "no-store",
  });
  const answer = (await response.json()) as Answer & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

export const ask_scene = (): Promise<Robot> => ask<Robot>("scene");

/// One request at a time; while one is under way only the latest of the others is kept.
export class Latest {
  private busy = false;
  private next: (() => Promise<void>) | null = null;

  run(work: () => Promise<void>): void {
    if (this.busy) {
      this.next = work;
      return;
    }
    this.busy = true;
    void work().finally(() => {
      this.busy = false;
      const next = this.next;
      this.next = null;
      if (next) this.run(next);
    });
  }
  get idle(): boolean {
    return !this.busy;
  }
}
