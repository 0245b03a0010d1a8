const PITCH = 28

/** Lit nodes of the pattern by column and row, counted from its lower right corner. */
const lit = [
  [2, 2],
  [5, 3],
  [4, 6],
  [8, 4],
  [7, 8],
  [11, 6],
  [3, 10],
] as const
const links = [
  [0, 1],
  [1, 2],
  [1, 3],
  [2, 4],
  [3, 5],
  [4, 6],
  [3, 4],
] as const

const place = (index: number) => {
  const [column, row] = lit[index] ?? [0, 0]
  return { x: 400 - column * PITCH - PITCH / 2, y: 400 - row * PITCH - PITCH / 2 }
}

/** A subtle pattern of nodes, some of them connected. Drawn as SVG, so that it takes the site's colors in both themes. */
export function Lattice() {
  return (
    <svg aria-hidden viewBox="0 0 400 400" className="absolute right-0 bottom-0 w-full max-w-112">
      <defs>
        <pattern
          id="nodes"
          width={PITCH}
          height={PITCH}
          x={400 % PITCH}
          y={400 % PITCH}
          patternUnits="userSpaceOnUse"
        >
          <circle cx={PITCH / 2} cy={PITCH / 2} r="1.5" className="fill-line-2" />
        </pattern>
        <radialGradient id="fade" cx="100%" cy="100%" r="100%">
          <stop offset="0%" stopColor="white" stopOpacity="0.9" />
          <stop offset="95%" stopColor="white" stopOpacity="0" />
        </radialGradient>
        <mask id="corner">
          <rect width="400" height="400" fill="url(#fade)" />
        </mask>
      </defs>
      <g mask="url(#corner)">
        <rect width="400" height="400" fill="url(#nodes)" />
        {links.map(([from, to]) => {
          const a = place(from)
          const b = place(to)
          return (
            <line key={`${from} ${to}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y} className="stroke-accent/40" />
          )
        })}
        {lit.map((at, index) => (
          <circle
            key={at.join(' ')}
            cx={place(index).x}
            cy={place(index).y}
            r="3.5"
            className="fill-accent"
          />
        ))}
      </g>
    </svg>
  )
}
