import { ApiError } from '@flotilla/client/api-error'
import { createCalls, createSend } from '@flotilla/client/client'
import type { Send } from '@flotilla/client/client'
import { noteCountedCall } from '../session/activity'
import { currentToken, endSession } from '../session/store'
import { confirmPassword } from './confirmation'
import { setServerResponds } from './server-responding'

const sendOnce = createSend(async (url, init) => {
  const response = await fetch(url, init)
  setServerResponds(true)
  return response
})

/**
 * Returns the successful response itself, for replies that are not JSON. Uses the session's token unless another is
 * given.
 */
export const send: Send = async (endpoint, input, options = {}) => {
  const token = options.token ?? currentToken()
  try {
    const response = await sendOnce(endpoint, input, { ...options, token })
    if (!options.repeat) noteCountedCall(Date.now())
    return response
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.network) setServerResponds(false)
    if (error.code === 'confirm_needed') {
      await confirmPassword()
      return send(endpoint, input, options)
    }
    // A call that needs no session, such as a login, cannot end one; neither can a call with an older token.
    const needsSession = endpoint.access !== 'everyone'
    if (error.status === 401 && needsSession && token === currentToken())
      endSession(error.code === 'session_expired' ? 'idle' : 'ended')
    throw error
  }
}

/** Development also validates replies against the contract. */
export const { call, callPage } = createCalls(send, { validate: import.meta.env.DEV })
