import { useSetSearch } from '../paths'
import { Input, Select } from '../ui/form/input'
import { CUSTOM, dateText, presets, readDate, useRange } from './range'

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A preset, or any two days; both days are included. */
export function RangePicker() {
  const setSearch = useSetSearch()
  const { range, chosen } = useRange()
  const days = { from: dateText(range.from), to: dateText(range.to - 1) }
  const choose = (id: string) =>
    setSearch(id === CUSTOM ? { range: undefined, ...days } : { range: id, from: undefined, to: undefined }, {
      replace: false,
    })
  const setDay = (which: 'from' | 'to', text: string) => {
    // A date input is empty while it is being typed in.
    if (readDate(text) === undefined) return
    const both = { ...days, [which]: text }
    // The other day is moved if the range would otherwise be empty.
    setSearch({ range: undefined, ...(both.from > both.to ? { from: text, to: text } : both) })
  }
  return (
    <>
      <p className="hidden text-body text-ink-2 print:block">{dates.formatRange(range.from, range.to - 1)}</p>
      <div className="grid grid-cols-2 gap-2 max-sm:w-full sm:flex sm:items-center print:hidden">
        <Select
          aria-label="Period"
          className="col-span-2 sm:w-36"
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        >
          {presets.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
          <option value={CUSTOM}>Custom</option>
        </Select>
        {(['from', 'to'] as const).map((end) => (
          <div key={end} className="sm:w-36">
            <Input
              type="date"
              aria-label={end === 'from' ? 'First day' : 'Last day'}
              value={days[end]}
              onChange={(event) => setDay(end, event.target.value)}
            />
          </div>
        ))}
      </div>
    </>
  )
}
