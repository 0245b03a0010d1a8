import { jobs } from '@flotilla/contract/jobs/jobs'
import { useApiQuery } from '../../api/query'
import { paths, useGo } from '../../paths'
import { SubmitDialog } from '../../submit/submit-dialog'

/** Submits a job that was found by name, and shows its output. */
export default function SubmitFound({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const go = useGo()
  const { data } = useApiQuery(jobs.view, { id: jobId })
  return (
    data && (
      <SubmitDialog
        job={data}
        onClose={onClose}
        onSubmitted={({ id }) => {
          onClose()
          go(paths.job(jobId), { submission: id })
        }}
      />
    )
  )
}
