import { Component } from 'react'
import type { ErrorInfo, ReactNode } from 'react'

/** The last resort: whatever fails, the user sees a page that says so. A class, because React requires one. */
export class RootBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError = () => ({ failed: true })

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    console.error('The page could not be rendered', error, componentStack)
  }

  override render() {
    // Uses no other part of the app, because any of them may have failed.
    return this.state.failed ? <Broken /> : this.props.children
  }
}

export function Broken({ inFrame = false }: { inFrame?: boolean }) {
  const Around = inFrame ? 'div' : 'main'
  return (
    <Around
      className={`flex ${inFrame ? 'min-h-[60dvh] flex-1' : 'min-h-dvh'} flex-col items-center justify-center gap-2 p-6 text-center`}
    >
      <p className="text-label text-ink-3">500</p>
      <h1 className="text-title font-semibold">Something went wrong</h1>
      <p className="max-w-112 text-form text-ink-2">
        A bug or an update of the console made this page fail. Reload it to try again. Nothing you saved is
        lost.
      </p>
      <button
        type="button"
        onClick={() => location.reload()}
        className="mt-3 h-8 rounded-control bg-accent px-3 text-body font-medium text-on-accent"
      >
        Reload
      </button>
    </Around>
  )
}
