import { useState } from 'react'
import { useConfig } from '../../api/config'

/** Reports a broken configuration file to everyone, and its details to those who can fix it. */
export default function ConfigBanner({ showDetail }: { showDetail: boolean }) {
  const { problems } = useConfig()
  const [dismissed, setDismissed] = useState(false)
  if (dismissed) return null
  return (
    <div
      role="status"
      className="flex items-start justify-between gap-4 border-b border-amber/40 bg-amber-soft px-4 py-2 text-body text-ink-1"
    >
      <div className="min-w-0 wrap-anywhere">
        {showDetail ? (
          <>
            <p className="font-medium">
              This site’s configuration has problems. Security settings keep their last valid or strictest
              value. All others use their defaults.
            </p>
            <ul className="list-disc pl-5">
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </>
        ) : (
          <p>
            Parts of this site’s configuration could not be read. Administrators see the details after logging
            in.
          </p>
        )}
      </div>
      <button
        type="button"
        className="shrink-0 rounded-mark text-ink-2 underline-offset-2 hover:underline"
        onClick={() => setDismissed(true)}
      >
        Dismiss
      </button>
    </div>
  )
}
