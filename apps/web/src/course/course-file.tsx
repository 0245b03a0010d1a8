import { courses } from '@flotilla/contract/courses/courses'
import type { CourseFile } from '@flotilla/contract/courses/entity'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useCallback } from 'react'
import type { ReactNode } from 'react'
import { send } from '../api/call'
import { download } from '../api/download'
import { showError } from '../api/errors'
import { apiKey } from '../api/query'
import { Glyph } from '../ui/status/icon'
import { useCourse } from './course-context'

/** Downloads an attachment: it is never opened in the browser. */
export function DownloadLink({ file, children }: { file: CourseFile; children: ReactNode }) {
  const { id } = useCourse()
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1 rounded-mark text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
      onClick={() => void download(courses.file, { id, name: file.name }, file.name).catch(showError)}
    >
      {children}
      <Glyph icon={Download} className="size-3.5" />
    </button>
  )
}

/** A picture of the course. It needs the reader's token, so it is fetched and not linked. */
export function Picture({ file, alt }: { file: CourseFile; alt: string }) {
  const { id } = useCourse()
  const input = { id, name: file.name }
  const picture = useQuery({
    queryKey: [...apiKey(courses.file, input), file.size],
    queryFn: async ({ signal }) => {
      const response = await send(courses.file, input, { repeat: true, signal })
      return new Blob([await response.arrayBuffer()], { type: file.picture ?? '' })
    },
    staleTime: Infinity,
  })
  const blob = picture.data
  const show = useCallback(
    (image: HTMLImageElement | null) => {
      if (!image || !blob) return undefined
      const url = URL.createObjectURL(blob)
      image.src = url
      return () => URL.revokeObjectURL(url)
    },
    [blob],
  )
  if (picture.isError) return <span className="text-ink-3">[The image {file.name} could not be loaded]</span>
  return blob ? (
    <img ref={show} alt={alt} />
  ) : (
    <span aria-busy className="block h-40 rounded-card bg-surface-3" />
  )
}
