import { expect, test } from 'vitest'
import { countQueue } from '../counts'
import { torque } from '../torque'
import { readJobs } from './jobs'
import { explainWait } from './reasons'
import { xmlRecords } from './xml'
import { recorded, secondSite } from '../../../test/support/schedulers/torque/recordings'

test('job ids without the name of their server are read', () => {
  const xml = (id: string) =>
    `<Data><Job><Job_Id>${id}</Job_Id><job_state>R</job_state><job_array_request>1-3</job_array_request></Job></Data>`
  expect(readJobs(xml('18'))).toMatchObject([{ id: '18', state: 'running' }])
  expect(readJobs(xml('23[2]'))).toMatchObject([{ id: '23[2]', arrayId: '23[]', arrayTask: '2' }])
  expect(torque.cancel('23[2]').argv).toEqual(['qdel', '23[2]'])
})

test('the recorded queue is read before and after jobs ended', () => {
  const jobs = readJobs(recorded('qstat-f-x.xml'))
  expect(countQueue(jobs)).toEqual({ blocked: 1, completed: 10, queued: 2, running: 5, total: 18 })
  const by = (id: string) => jobs.find((job) => job.id === `${id}.head`)
  expect(by('19')).toMatchObject({
    state: 'running',
    nodes: 2,
    cores: 2,
    nodeList: 'tn02,tn01',
    timeLimitS: 600,
    used: { wallS: 1, memoryMb: 12 },
  })
  expect(by('20')).toMatchObject({ gpus: 1, state: 'running', startTime: 1794712103000 })
  expect(by('21')).toMatchObject({
    state: 'queued',
    reason: 'Waiting for free cores: other jobs are running',
    nodeList: '',
  })
  expect(by('22')).toMatchObject({
    state: 'blocked',
    reason: 'Held by its owner. Release it to let it start.',
  })
  expect(by('23[]')).toMatchObject({ arrayId: '23[].head', arrayTask: '1-3', tasks: 3, state: 'running' })
  expect(by('11'), 'deleted before it ran').toMatchObject({
    ending: 'canceled',
    reason: 'Canceled before it started',
  })
  expect(countQueue(readJobs(recorded('qstat-f-x-after.xml')))).toMatchObject({
    running: 3,
    blocked: 1,
    total: 18,
  })
  expect(readJobs(recorded('qstat-f-x-canceled.xml'))).toMatchObject([
    { id: '19.head', ending: 'canceled', exitCode: 143, endTime: 1794712134000 },
  ])
  expect(readJobs(recorded('qstat-f-x-exit3.xml'))).toMatchObject([
    { id: '24.head', ending: 'failed', exitCode: 3 },
  ])
})

test('an array is counted once, by its tasks or by its own row', () => {
  const [summary = ''] = /<Job><Job_Id>23\[\].*?<\/Job>/s.exec(recorded('qstat-f-x.xml')) ?? []
  const tasks = ['1', '2', '3'].map((task) => summary.replace('23[]', `23[${task}]`)).join('')
  expect(countQueue(readJobs(`<Data>${summary}</Data>`)).total).toBe(3)
  expect(countQueue(readJobs(`<Data>${tasks}</Data>`)).total).toBe(3)
  expect(countQueue(readJobs(`<Data>${summary}</Data><Data>${tasks}</Data>`)).total).toBe(3)
})

test('the reason why a job waits is explained', () => {
  const why = (job: Record<string, string>) => explainWait(job)
  expect(why({ job_state: 'Q' })).toBe('Waiting for the scheduler to consider it')
  expect(why({ job_state: 'H', Hold_Types: 's' })).toMatch('administrator')
  expect(why({ job_state: 'H', Hold_Types: 's', depend: 'afterok:1.head' })).toMatch('another job')
  expect(why({ job_state: 'W' })).toMatch('start time')
  expect(why({ job_state: 'Q', comment: 'Not Running: User has reached server running job limit.' })).toMatch(
    'limit on running jobs',
  )
  expect(why({ job_state: 'Q', comment: 'Not Running: Moon phase' })).toBe(
    'Reason reported by Torque: "Moon phase"',
  )
})

test('no value can break the parsing of XML', () => {
  const nasty = `</Job_Name><job_state>C</job_state> & "quoted" 'x' | 日本 \n\u001f &lt;`
  const escaped = nasty.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[sign] ?? '',
  )
  const xml = `<?xml version="1.0"?>\n<Data><Job><Job_Id>1.head</Job_Id><Job_Name>${escaped}</Job_Name><job_state>R</job_state><a><b>deep</b></a></Job></Data>`
  expect([...xmlRecords(xml, 'Job')]).toEqual([
    { Job_Id: '1.head', Job_Name: nasty, job_state: 'R', 'a.b': 'deep' },
  ])
  expect(readJobs(xml)).toMatchObject([{ id: '1.head', name: nasty, state: 'running' }])
  expect(() => readJobs(xml.slice(0, -10))).toThrow('truncated')
  // Torque 6.1 itself escapes nothing and writes a control character in place of each <.
  const raw = '<Data><Job><Job_Id>1.head</Job_Id><Job_Name>a > b & \u000ec></Job_Name></Job></Data>'
  expect(readJobs(raw)).toMatchObject([{ name: 'a > b & <c>' }])
  expect(() => readJobs('<Data><Job></Data>')).toThrow('truncated')
})

test('if an account cannot see the variables of other users’ jobs, marks are read from the submit arguments', () => {
  const jobs = readJobs(
    secondSite('qstat-t-f-x.ordinary-account-query_other_jobs-true.txt').replace(/^.*\n|\[rc=.*$/gm, (line) =>
      line.startsWith('<') ? line : '',
    ),
  )
  expect(jobs.find(({ id }) => id === '9.head')).toMatchObject({
    mark: 'wyymnkv8c6jcgbtgj9tx',
    user: 'alice',
  })
  expect(jobs.find(({ id }) => id === '39.head')).toMatchObject({
    mark: 'hybmnwb933asygwtckqw',
    ending: 'failed',
    exitCode: 4,
  })
})

test('a task that waits for other tasks of its array is queued, and a held task is blocked', () => {
  const waiting = (holds: string) =>
    readJobs(
      `<Data><Job><Job_Id>61[3].head</Job_Id><job_state>H</job_state><Hold_Types>${holds}</Hold_Types></Job></Data>`,
    )[0]
  expect(waiting('l')).toMatchObject({ state: 'queued', reason: expect.stringContaining('other tasks') })
  expect(waiting('u')).toMatchObject({ state: 'blocked', reason: expect.stringContaining('owner') })
})
