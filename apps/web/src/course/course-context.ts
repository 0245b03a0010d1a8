import type { CourseFile } from '@flotilla/contract/courses/entity'
import { createContext, use } from 'react'

/** The context that a chapter's text is rendered in. */
export type CourseReference = {
  id: string
  files: readonly CourseFile[]
  /** Types code into the reader's terminal; null if there is none, for the reason below. */
  run: ((code: string) => void) | null
  runBlockedReason: string | null
}

export const CourseContext = createContext<CourseReference>({
  id: '',
  files: [],
  run: null,
  runBlockedReason: null,
})
export const useCourse = (): CourseReference => use(CourseContext)
