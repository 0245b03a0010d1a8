import type { Chapter, Course, CourseInput, CourseSummary } from '@flotilla/contract/courses/entity'
import type { Queryable } from '../../db/database'
import type { Caller } from '../../http/caller'
import { isMine } from '../sharing/sharing'
import * as store from './store'

const facts = (row: store.FoundCourse, me: Caller) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  templateId: row.template_id,
  appIds: row.app_ids,
  owner: row.owner,
  mine: isMine(me, row),
  collaborators: row.collaborators.map(({ username }) => username),
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
})

export const asSummary = (row: store.FoundCourse, me: Caller): CourseSummary => ({
  ...facts(row, me),
  chapters: row.chapter_count ?? 0,
})

export const asChapter = ({
  id,
  title,
  markdown,
  updated_at,
}: {
  id: string
  title: string
  markdown: string
  updated_at: Date
}): Chapter => ({ id, title, markdown, updatedAt: updated_at.getTime() })

export const courseOf = async (db: Queryable, row: store.FoundCourse, me: Caller): Promise<Course> => ({
  ...facts(row, me),
  chapters: (await store.chapters(db, row.id)).map(asChapter),
  files: await store.files(db, row.id),
})

export const columnsOf = ({ name, description, templateId, appIds }: CourseInput) => ({
  name,
  description,
  template_id: templateId,
  app_ids: appIds,
})
