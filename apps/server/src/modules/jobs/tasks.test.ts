import { describe, expect, it } from 'vitest'
import type { QueuedJob } from '../../schedulers/scheduler'
import { taskGroups, taskStates } from './tasks'

const row = (arrayTask: string, state: QueuedJob['state'], ending?: QueuedJob['ending']) =>
  ({ arrayTask, state, ...(ending && { ending }) }) as QueuedJob // the rest does not matter here

describe('the tasks of an array', () => {
  it('are in numeric order, each with its own state, even if they wait in one row', () => {
    const seen = taskStates(
      { array: '1-12,20%3', tasks: null },
      [
        row('10', 'running'),
        row('2', 'completed', 'failed'),
        row('1', 'completed', 'succeeded'),
        row('11-12,20%3', 'blocked'),
      ],
      null,
    )
    expect(seen).toBe('cfqqqqqqqrbbb')
    expect(taskGroups('1-12,20%3', seen, 'running')).toEqual([
      { state: 'failed', count: 1, tasks: '2' },
      { state: 'running', count: 1, tasks: '10' },
      { state: 'blocked', count: 3, tasks: '11-12,20' },
      { state: 'queued', count: 7, tasks: '3-9' },
      { state: 'completed', count: 1, tasks: '1' },
    ])
  })

  it('keep their endings when the queue has forgotten them', () => {
    const array = '1-4'
    expect(taskStates({ array, tasks: 'cfrq' }, [row('4', 'running')], null)).toBe('cfrr')
    expect(taskStates({ array, tasks: 'cfrr' }, [row('4', 'completed', 'timed_out')], 'failed')).toBe('cflt')
    expect(taskStates({ array, tasks: 'cccr' }, [], 'completed')).toBe('cccc')
    expect(taskStates({ array, tasks: 'ccrq' }, [], 'canceled')).toBe('ccxx')
    expect(taskStates({ array, tasks: 'ccrq' }, [], 'lost')).toBe('ccll')
  })

  it('of a large array are read if every started task has its own row', () => {
    const ran = Array.from({ length: 10_000 }, (_, number) => row(String(number), 'running'))
    const seen = taskStates(
      { array: '0-19999%50', tasks: null },
      [row('10000-19999', 'queued'), ...ran],
      null,
    )
    expect(seen).toBe('r'.repeat(10_000) + 'q'.repeat(10_000))
    expect(taskStates({ array: '1,3,5-9', tasks: null }, [row('1,3,5-9', 'blocked')], null)).toBe(
      'b'.repeat(7),
    )
  })

  it('are not read from an endless number of rows', () => {
    let read = 0
    const rows = Array.from({ length: 100_000 }, (_, index) => ({
      ...row('', 'running'),
      get arrayTask() {
        read++
        return index % 2 ? '0-19999' : `${'0-19999,'.repeat(500)}x`
      },
    }))
    expect(taskStates({ array: '0-19999', tasks: null }, rows, null)).toMatch(/^[qr]{20000}$/)
    expect(read).toBeLessThan(20)
  })

  it('have the state of the submission before the first poll, and do not exist for a single job', () => {
    expect(taskGroups('1-300', null, 'submitting')).toEqual([
      { state: 'submitting', count: 300, tasks: '1-300' },
    ])
    expect(taskGroups('', null, 'running')).toEqual([])
    expect(taskStates({ array: null, tasks: null }, [row('1', 'running')], null)).toBeNull()
  })
})
