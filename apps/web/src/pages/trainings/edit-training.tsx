import { trainings } from '@flotilla/contract/trainings/trainings'
import { useApiQuery } from '../../api/query'
import { usePathParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { TrainingForm } from './form/training-form'

export default function EditTraining() {
  const training = useApiQuery(trainings.view, { id: usePathParam('id') ?? '' })
  return (
    <Async data={training} skeleton={<SkeletonText lines={8} />}>
      {(saved) => <TrainingForm key={saved.id} title={`Edit ${saved.name}`} training={saved} />}
    </Async>
  )
}
