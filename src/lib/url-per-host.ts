/** A database URL may list several hosts, `postgres://user@a:5432,b:5432/name`: one URL for each. */
export function urlPerHost(url: string): readonly string[] {
  const { before = '', hosts = '', after = '' } = parts.exec(url)?.groups ?? {}
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [url]
}

/** The host of any URL with its port, or all of them; for people. */
export function hostsOf(url: string): string {
  return urlPerHost(url)
    .map((each) => new URL(each).host)
    .join(',')
}

// After the hosts there is no @: what looks like hosts would be a part of a password with a slash.
const parts = /^(?<before>\w+:\/\/(?:[^/?#]*@)?)(?<hosts>[^@/?#]*)(?<after>[^@]*)$/
