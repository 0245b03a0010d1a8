import { describeProblem, splitChapter } from '@flotilla/contract/courses/chapter'
import { courses } from '@flotilla/contract/courses/courses'
import type { Chapter, Course } from '@flotilla/contract/courses/entity'
import { ImagePlus, Save } from 'lucide-react'
import { useRef, useState } from 'react'
import { useApiMutation } from '../../../api/query'
import { CodeEditor } from '../../../editor/code-editor'
import { FileButton } from '../../../forms/file-button'
import { useFileDrop } from '../../../forms/use-file-drop'
import { useLeaveGuard } from '../../../session/use-leave-guard'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { notices } from '../../../ui/feedback/notices-store'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'
import { useDebounced } from '../../../ui/form/use-debounced'
import { cx } from '../../../ui/text/cx'
import { markdownOf, useUpload } from '../use-upload'
import { ChapterPreview } from './chapter-preview'

/** Edits a chapter's title and text, with a live preview. */
export function ChapterEditor({ course, chapter }: { course: Course; chapter: Chapter }) {
  const { id, mine } = course
  const admin = useIsAdmin()
  const [saved, setSaved] = useState(chapter)
  const [title, setTitle] = useState(chapter.title)
  const [markdown, setMarkdown] = useState(chapter.markdown)
  const shown = useDebounced(markdown, 150)
  const inserter = useRef<((text: string) => void) | null>(null)
  const { upload, busy: uploading } = useUpload(id)
  const addFiles = async (files: readonly File[]) => {
    const added = await upload(files)
    if (added.length > 0) inserter.current?.(`${added.map(markdownOf).join('\n')}\n`)
  }
  const { over, listeners } = useFileDrop((files) => void addFiles(files))
  const write = useApiMutation(courses.saveChapter, { admin, invalidates: [courses.view, courses.outline] })
  const dirty = title !== saved.title || markdown !== saved.markdown
  const guard = useLeaveGuard(dirty)
  const { problems } = splitChapter(shown)
  const changedElsewhere = write.error?.reason === 'changed'
  const titleProblem = title.trim() === '' ? 'Enter a title' : undefined

  const save = async (overwrite = false) => {
    if (!dirty || write.isPending || titleProblem) return
    const body = { title, markdown, ...(!overwrite && { updatedAt: saved.updatedAt }) }
    try {
      const stored = await write.mutateAsync({ id, chapter: chapter.id, body })
      setSaved({ ...stored, title, markdown })
      notices.success('Chapter saved')
    } catch {
      // The error is shown below, from the mutation.
    }
  }
  return (
    <section aria-label={`Chapter ${saved.title}`} className="flex min-w-0 flex-col gap-3">
      {/* In print, a chapter has a heading, as its readers see it. */}
      <h2 className="hidden text-section font-semibold print:block">{title}</h2>
      <div className="flex flex-wrap items-end gap-2 print:hidden">
        <Field label="Title" error={titleProblem} className="min-w-48 flex-1">
          {(aria) => (
            <Input
              {...aria}
              value={title}
              readOnly={!mine}
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        {mine && (
          <>
            <FileButton
              icon={ImagePlus}
              busy={uploading}
              inputLabel="Insert file"
              multiple
              onFiles={(files) => void addFiles(files)}
            >
              Insert file
            </FileButton>
            <Button
              variant="primary"
              icon={Save}
              busy={write.isPending}
              disabledReason={
                problems.length > 0 ? 'Fix the problems first' : dirty ? null : 'No changes to save'
              }
              onClick={() => void save()}
            >
              Save
            </Button>
          </>
        )}
      </div>
      {problems.length > 0 && (
        <Callout tone="red" alert title="This chapter has problems">
          <ul>
            {problems.map((problem) => (
              <li key={describeProblem(problem)}>{describeProblem(problem)}</li>
            ))}
          </ul>
        </Callout>
      )}
      {changedElsewhere ? (
        <Callout tone="amber" alert title="This chapter has changed since you opened it">
          <p>Saving now would overwrite those changes.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button variant="danger" onClick={() => void save(true)}>
              Overwrite
            </Button>
          </div>
        </Callout>
      ) : (
        write.error && (
          <Callout tone="red" alert>
            {write.error.fields['markdown'] ?? write.error.message}
          </Callout>
        )
      )}
      <div className="grid gap-3 xl:grid-cols-2">
        <div
          {...(mine && listeners)}
          className={cx(
            'min-w-0 rounded-control print:hidden',
            over && 'outline-2 outline-offset-2 outline-accent',
          )}
        >
          <CodeEditor
            label="Text in Markdown"
            value={markdown}
            readOnly={!mine}
            onChange={setMarkdown}
            onSave={() => void save()}
            inserter={inserter}
            wrap
            problem={problems[0] && describeProblem(problems[0])}
            className="h-[max(24rem,calc(100dvh-22rem))]"
          />
        </div>
        <ChapterPreview course={course} markdown={shown} />
      </div>
      {guard.dialog}
    </section>
  )
}
