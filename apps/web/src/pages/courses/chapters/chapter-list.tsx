import { courses } from '@flotilla/contract/courses/courses'
import type { Chapter, Course } from '@flotilla/contract/courses/entity'
import { useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { apiKey, useApiMutation } from '../../../api/query'
import { useIsAdmin } from '../../../session/user'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { Menu } from '../../../ui/overlay/menu'
import { Glyph } from '../../../ui/status/icon'
import { cx } from '../../../ui/text/cx'
import { moved } from './moved'

interface Props {
  course: Course
  chosen: string
  onOpen: (chapterId: string | undefined) => void
}

/** The list of chapters. They are reordered by dragging or with the menu of each chapter. */
export function ChapterList({ course, chosen, onOpen }: Props) {
  const { id, chapters, mine } = course
  const admin = useIsAdmin()
  const [dragged, setDragged] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const [removing, setRemoving] = useState<Chapter | null>(null)
  const client = useQueryClient()
  const order = useApiMutation(courses.orderChapters, {
    admin,
    invalidates: [courses.outline],
    onSuccess: (ordered) => client.setQueryData(apiKey(courses.view, { id }), ordered),
  })
  const remove = useApiMutation(courses.removeChapter, {
    admin,
    success: 'Chapter deleted',
    invalidates: [courses.view, courses.outline],
    onSuccess: () => onOpen(undefined),
  })
  // While the new order is being saved, it is already shown.
  const shown = order.isPending ? sorted(chapters, order.variables.body?.chapters ?? []) : chapters
  const move = (from: number, to: number) => {
    if (from !== to)
      order.mutate({ id, body: { chapters: moved(shown, from, to).map((chapter) => chapter.id) } })
  }
  const endDrag = () => {
    setDragged(null)
    setOver(null)
  }
  return (
    <>
      <ol aria-label="Chapters" className="rounded-card border border-line-1 bg-surface-2 p-1">
        {shown.map((chapter, at) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the menu orders by keyboard
          <li
            key={chapter.id}
            draggable={mine}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move'
              event.dataTransfer.setData('text/plain', chapter.title)
              setDragged(at)
            }}
            onDragEnd={endDrag}
            onDragOver={(event) => {
              if (dragged === null) return
              event.preventDefault()
              setOver(at)
            }}
            onDrop={(event) => {
              if (dragged === null) return
              event.preventDefault()
              move(dragged, at)
              endDrag()
            }}
            className={cx(
              'flex items-center rounded-control',
              chapter.id === chosen ? 'bg-surface-3' : 'hover:bg-surface-1',
              dragged === at && 'opacity-50',
              over === at && dragged !== at && 'outline-2 outline-accent',
            )}
          >
            {mine && <Glyph icon={GripVertical} className="ml-1 cursor-grab text-ink-3" />}
            <button
              type="button"
              aria-current={chapter.id === chosen ? 'true' : undefined}
              onClick={() => onOpen(chapter.id)}
              className="min-w-0 flex-1 truncate rounded-control px-2 py-1.5 text-left text-body"
            >
              {at + 1}. {chapter.title}
            </button>
            {mine && (
              <Menu
                label={`Actions for ${chapter.title}`}
                items={[
                  {
                    label: 'Move up',
                    icon: ArrowUp,
                    disabledReason: at === 0 ? 'It is the first chapter' : null,
                    onSelect: () => move(at, at - 1),
                  },
                  {
                    label: 'Move down',
                    icon: ArrowDown,
                    disabledReason: at === shown.length - 1 ? 'It is the last chapter' : null,
                    onSelect: () => move(at, at + 1),
                  },
                  'separator',
                  { label: 'Delete', icon: Trash2, onSelect: () => setRemoving(chapter) },
                ]}
              />
            )}
          </li>
        ))}
      </ol>
      {removing && (
        <ConfirmDialog
          open
          onClose={() => setRemoving(null)}
          title={`Delete ${removing.title}?`}
          confirmLabel="Delete chapter"
          onConfirm={() =>
            remove
              .mutateAsync({ id, chapter: removing.id })
              .finally(() => setRemoving(null))
              .catch(() => {})
          }
        >
          <p>Its text and participants’ answers to its quizzes are permanently deleted.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const sorted = (chapters: readonly Chapter[], ids: readonly string[]): Chapter[] =>
  chapters.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
