import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Broken } from './root-boundary'

/** A page that failed stays in its frame, so that the navigation still works. */
export function PageFailed({ error }: ErrorComponentProps) {
  useEffect(() => console.error('The page could not be rendered', error), [error])
  return <Broken inFrame />
}
