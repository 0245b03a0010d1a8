import type { ReactNode } from 'react'

/** A heading over a few examples. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="text-section font-semibold">{title}</h2>
      {children}
    </section>
  )
}

/** Examples side by side, each under its name. */
export function Example({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="text-label text-ink-3">{name}</p>
      {children}
    </div>
  )
}
