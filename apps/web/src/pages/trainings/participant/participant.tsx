import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { useRef, useState } from 'react'
import * as z from 'zod/mini'
import { useApiQuery } from '../../../api/query'
import { CourseReader } from '../../../course/course-reader'
import { useSearchParam, useSetSearch } from '../../../paths'
import { pageSettings } from '../../../session/page-settings'
import { typeInto } from '../../../terminal/typing'
import { Async } from '../../../ui/feedback/async'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { PageHeader } from '../../../ui/layout/page-header'
import { SplitPane } from '../../../ui/layout/split-pane'
import { Tabs } from '../../../ui/layout/tabs'
import { useWide } from '../../../ui/layout/use-wide'
import { SeatBar } from './seat-bar'
import { Workspace } from './workspace'

/** The width from which the course and the workspace fit side by side, as on a tablet in landscape. */
const WIDE_PX = 900
const settings = pageSettings('participant', z.object({ share: z.number() }))

/** A participant's workshop: the course, and next to it their terminal, desktop or app. */
export function ParticipantPage() {
  const seat = useApiQuery(trainings.own, {})
  return (
    <>
      {!seat.data && <PageHeader title="Workshop" />}
      <Async data={seat} skeleton={<SkeletonText lines={12} />}>
        {(found) => <Seated seat={found} />}
      </Async>
    </>
  )
}

function Seated({ seat }: { seat: OwnSeat }) {
  const { training, clusterId } = seat
  const box = useRef<HTMLDivElement>(null)
  const wide = useWide(WIDE_PX)
  const [share, setShare] = useState(() => settings.load()?.share ?? 45)
  const setSearch = useSetSearch()
  const side = useSearchParam('side') ?? 'course'
  const place = useSearchParam('place') ?? 'terminal'
  const run =
    clusterId === null
      ? null
      : (code: string) => {
          setSearch({ place: undefined, side: 'work' })
          typeInto(clusterId, code)
        }
  const course =
    training.courseId === null ? (
      <p className="text-body whitespace-pre-line text-ink-2">
        {training.description || 'This workshop has no course. Your instructor will guide you.'}
      </p>
    ) : (
      <CourseReader
        courseId={training.courseId}
        run={run}
        runBlockedReason={run ? null : 'You have no cluster in this workshop yet'}
      />
    )
  const work = <Workspace seat={seat} place={place} onPlace={(next) => setSearch({ place: next })} />
  return (
    <div
      ref={box}
      className="flex min-h-0 flex-col bg-surface-1 [&:fullscreen]:overflow-auto [&:fullscreen]:p-4"
    >
      <SeatBar seat={seat} box={box} />
      {wide ? (
        <div className="h-[max(28rem,calc(100dvh-13rem))] in-[:fullscreen]:h-[calc(100dvh-7rem)]">
          <SplitPane
            label="Width of the course"
            share={share}
            onChange={(next) => {
              setShare(next)
              settings.save({ share: next })
            }}
            left={<div className="rounded-card border border-line-1 bg-surface-2 p-5">{course}</div>}
            right={work}
          />
        </div>
      ) : (
        <Tabs
          label="Course and workspace"
          value={side}
          onChange={(next) => setSearch({ side: next })}
          tabs={[
            { id: 'course', label: 'Course', content: course },
            { id: 'work', label: 'Workspace', content: work },
          ]}
        />
      )}
    </div>
  )
}
