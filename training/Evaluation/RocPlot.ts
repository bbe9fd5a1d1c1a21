import type { RocCurve } from "./RocCurve.ts"

const WIDTH = 720
const HEIGHT = 480
const LEFT = 60
const TOP = 40
const RIGHT = 20
const BOTTOM = 50
/** The left edge: a few ten thousand rows say nothing about smaller shares. */
const MIN_SHARE = 1e-4

const x = (falsePositives: number): number =>
  LEFT +
  ((WIDTH - LEFT - RIGHT) * Math.log10(Math.max(falsePositives, MIN_SHARE) / MIN_SHARE)) /
    -Math.log10(MIN_SHARE)

const y = (recall: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - recall)

/** The ROC curve as SVG, false positives on a logarithmic axis, with a named point for each of `marks`. */
export const svg = (
  title: string,
  { points, area }: RocCurve,
  marks: ReadonlyArray<{ readonly name: string; readonly falsePositives: number; readonly recall: number }>
): string => {
  const path = points
    .filter(({ falsePositives }) => falsePositives > 0)
    .map((point) => `${x(point.falsePositives).toFixed(1)},${y(point.recall).toFixed(1)}`)
    .filter((pair, index, all) => pair !== all[index - 1])
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    `<text x="${LEFT}" y="20" font-size="14">${title}, area ${area.toFixed(4)}</text>`
  ]
  for (const share of [0.0001, 0.001, 0.01, 0.1, 1])
    lines.push(
      `<line x1="${x(share)}" y1="${TOP}" x2="${x(share)}" y2="${HEIGHT - BOTTOM}" stroke="#ddd"/>`,
      `<text x="${x(share)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${share * 100} %</text>`
    )
  for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1])
    lines.push(
      `<line x1="${LEFT}" y1="${y(share)}" x2="${WIDTH - RIGHT}" y2="${y(share)}" stroke="#ddd"/>`,
      `<text x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${Math.round(share * 100)} %</text>`
    )
  lines.push(
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">false positives</text>`,
    `<text x="14" y="${TOP - 14}">recall</text>`,
    `<polyline points="${path.join(" ")}" fill="none" stroke="#b00020" stroke-width="1.5"/>`
  )
  for (const { name, falsePositives, recall } of marks)
    lines.push(
      `<circle cx="${x(falsePositives).toFixed(1)}" cy="${y(recall).toFixed(1)}" r="4" fill="#0050b0"/>`,
      `<text x="${(x(falsePositives) + 8).toFixed(1)}" y="${(y(recall) + 4).toFixed(1)}">${name}</text>`
    )
  return `${lines.join("\n")}\n</svg>\n`
}
