export function SkipLink() {
  return (
    <a
      href="#main"
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-3 py-1.5 font-medium text-on-accent focus:translate-y-0"
      onClick={(event) => {
        // The URL stays the same: the router would treat a change as a navigation.
        event.preventDefault()
        document.querySelector<HTMLElement>('#main')?.focus()
      }}
    >
      Skip to content
    </a>
  )
}
