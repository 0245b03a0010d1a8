/** A page whose code is still loading: quiet, and never mistaken for an empty list. */
export function PagePending() {
  return (
    <div role="status" className="animate-appear p-1 text-body text-ink-3">
      Loading page
    </div>
  )
}
