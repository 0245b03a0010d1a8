import { trainings } from '@flotilla/contract/trainings/trainings'
import { useApiQuery } from '../../api/query'
import { useSearchParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { TrainingForm } from './form/training-form'

/** A new workshop, or a copy (`?from=`). */
export default function NewTraining() {
  const from = useSearchParam('from')
  const original = useApiQuery(trainings.view, { id: from ?? '' }, { enabled: from !== undefined })
  if (from === undefined) return <TrainingForm title="New workshop" training={null} />
  return (
    <Async data={original} skeleton={<SkeletonText lines={8} />}>
      {(start) => <TrainingForm title={`Copy of ${start.name}`} training={null} start={start} />}
    </Async>
  )
}
