import { Suspense, lazy } from 'react'
import { cx } from '../ui/text/cx'
import { Skeleton } from '../ui/feedback/skeleton'
import type { CodeEditorProps } from './editor-props'

const CodeMirror = lazy(() => import('./code-mirror'))

/** An editor for scripts and text files. The library behind it is a separate chunk, loaded on first use. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div
      className={cx(
        'overflow-hidden rounded-control border bg-surface-2 font-mono focus-within:border-accent focus-within:outline-2 focus-within:outline-accent',
        props.problem ? 'border-red' : 'border-line-2',
        props.className,
      )}
    >
      <Suspense fallback={<Waiting />}>
        <CodeMirror {...props} />
      </Suspense>
    </div>
  )
}

function Waiting() {
  return (
    <div aria-busy className="flex flex-col gap-2 p-3">
      <Skeleton className="h-3.5 w-1/3" />
      <Skeleton className="h-3.5 w-1/2" />
      <Skeleton className="h-3.5 w-2/5" />
    </div>
  )
}
