/**
 * Sends a request to the public base URL and looks at what arrives: whether the URL leads to this service, whether the
 * Host header is kept, and whether the proxies that --trust-proxy counts add to X-Forwarded-For.
 */
import type { Config } from '../../config/config.js'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { type Probes, probeHeader, type SeenProbe } from '../../edges/ops/probes.js'
import { reasonOf } from '../../storage/nsqd/daemon.js'

export interface BaseUrlToExamine {
  readonly config: Pick<Config, 'baseUrl' | 'host' | 'trustProxy'>
  readonly probes: Probes
}

const area = 'base URL'
const timeLimit = 5000

export async function examineBaseUrl({ config, probes }: BaseUrlToExamine): Promise<Finding[]> {
  const { baseUrl } = config
  try {
    const { answer, seen } = await probes.run((word) =>
      fetch(`${baseUrl}/healthz`, {
        headers: { [probeHeader]: word },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeLimit),
      }),
    )
    await answer.body?.cancel()
    if (!seen) {
      const message = `${baseUrl} answers ${answer.status}, but the request did not arrive at this service.`
      return [
        wrong(
          area,
          message,
          'Check where its DNS and its proxy lead to, or set --base-url to the public URL of this service.',
        ),
      ]
    }
    return [...judgeHost(config, seen), judgeProxies(config.trustProxy, seen)]
  } catch (error) {
    const reason = reasonOf(error)
    const message = `${baseUrl} cannot be reached from this machine: ${reason}.`
    if (reason === 'timeout')
      return [
        warning(
          area,
          message,
          'If it can be reached from outside, all is well; some routers do not let a machine reach itself.',
        ),
      ]
    return [wrong(area, message, remedies[reason] ?? 'Check the DNS, the proxy and its certificate, and --base-url.')]
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Add DNS records for its host, or correct --base-url.',
  ECONNREFUSED: 'Start the proxy in front (deploy/README.md), or correct --base-url.',
}

function judgeHost({ baseUrl, host }: BaseUrlToExamine['config'], seen: SeenProbe): Finding[] {
  const wanted = new URL(baseUrl).host
  const isLocal = (name: string) => /^(localhost|127\..*|\[?::1\]?)$/i.test(name)
  if (seen.host !== wanted) {
    const message = `A request for ${wanted} arrived with the Host header ${seen.host || '(none)'}.`
    return [wrong(area, message, 'Let the proxy forward the Host header unchanged (docs/operating.md#behind-a-proxy).')]
  }
  if (!isLocal(host) && isLocal(new URL(baseUrl).hostname)) {
    const message = `Other machines can reach the service, but its links lead to ${baseUrl}.`
    return [warning(area, message, 'Set --base-url to the address that others use.')]
  }
  return [ok(area, `${baseUrl} leads to this service.`)]
}

export function judgeProxies(trusted: number, { forwardedFor }: Pick<SeenProbe, 'forwardedFor'>): Finding {
  const count = forwardedFor.length
  if (count === trusted) {
    return ok(
      'proxies',
      count === 0
        ? 'There is no proxy in between.'
        : `X-Forwarded-For arrives with ${entries(count)}, as --trust-proxy says.`,
    )
  }
  if (count < trusted) {
    const message = `X-Forwarded-For arrives with ${entries(count)}, but --trust-proxy is ${trusted}: visitors can choose the IP address that is recorded.`
    return wrong('proxies', message, `Set --trust-proxy ${count}, or let every proxy append to X-Forwarded-For.`)
  }
  const message = `X-Forwarded-For arrives with ${entries(count)}, but --trust-proxy is ${trusted}: visitors are recorded with the IP address of a proxy.`
  return warning('proxies', message, `Set --trust-proxy ${count}.`)
}

function entries(count: number): string {
  return count === 0 ? 'no entry' : count === 1 ? 'one entry' : `${count} entries`
}
