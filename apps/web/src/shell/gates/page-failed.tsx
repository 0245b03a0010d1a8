import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Broken } from './root-boundary'

/** A page that broke stays in its frame, so that the way to all the others is still there. */
export function PageFailed({ error }: ErrorComponentProps) {
  useEffect(() => console.error('The page could not be rendered', error), [error])
  return <Broken inFrame />
}
