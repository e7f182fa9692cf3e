/**
 * The stream as the edges see it: the addresses and statistics of its daemons. app.ts decides whether they run in this
 * process or on other machines.
 */
export interface Stream {
  /** The daemons that serve this topic; empty while the stream is off. */
  lookup(topic: string): Promise<readonly Producer[]>
  stats(): Promise<NsqStats>
  /** Call after a change of access; it is in effect when this resolves. */
  accessChanged(): Promise<void>
  /** Address and certificate; only of a stream in this process that has a port. */
  readonly place?: StreamAddress | undefined
  /** Only of a stream in this process; undefined until it starts. */
  figures?(): Promise<StreamFigures | undefined>
  /** Lets the operator read a topic for a while, regardless of access; only in this process. */
  watch?(topic: string): Promise<WatchedTopic>
}

export interface StreamAddress {
  /** `host:port` */
  readonly address: string
  /** SHA-256 of the certificate. */
  readonly fingerprint: string
  /** The file of the CA that signed it; undefined with the operator's own certificate. */
  readonly authorityFile: string | undefined
}

/** Counts since the start, except for open connections and stored bytes. */
export interface StreamFigures {
  readonly openConnections: number
  readonly connections: number
  readonly connectionsRefused: number
  readonly published: number
  readonly delivered: number
  readonly finished: number
  readonly requeued: number
  readonly timedOut: number
  /** Messages dropped before a channel finished them. */
  readonly lost: number
  /** Bytes of stored messages. */
  readonly logBytes: number
  /** Error frames by code. */
  readonly errors: Readonly<Record<string, number>>
  /** Restarts of its worker thread. */
  readonly restarts: number
}

/** A daemon, as the service's own readers reach it. */
export interface StreamDaemon {
  readonly host: string
  readonly port: number
  /** Sent if the daemon requires AUTH. */
  readonly secret: string | undefined
}

export interface WatchedTopic {
  readonly topic: string
  readonly daemon: StreamDaemon
}

/** A daemon, in the format of nsqlookupd. */
export interface Producer {
  readonly remote_address: string
  readonly hostname: string
  readonly broadcast_address: string
  readonly tcp_port: number
  /** 0 for a daemon without HTTP. */
  readonly http_port: number
  readonly version: string
}

/** The part of nsqd's `/stats?format=json` that the API returns, per daemon. */
export interface NsqStats {
  readonly daemons: readonly DaemonStats[]
}

export interface DaemonStats {
  /** `broadcast_address:port` */
  readonly address: string
  /** `OK`, or the problem. */
  readonly health: string
  readonly topics: readonly TopicStats[]
}

export interface TopicStats {
  readonly topic_name: string
  readonly depth: number
  readonly message_count: number
  readonly channels: readonly ChannelStats[]
}

export interface ChannelStats {
  readonly channel_name: string
  readonly depth: number
  readonly backend_depth: number
  readonly in_flight_count: number
  readonly deferred_count: number
  readonly message_count: number
  readonly requeue_count: number
  readonly timeout_count: number
  /** Messages dropped before the channel finished them; only the embedded daemon counts them. */
  readonly lost_count?: number
  readonly clients: readonly ClientStats[]
  readonly paused: boolean
}

export interface ClientStats {
  readonly client_id: string
  readonly hostname: string
  readonly user_agent: string
  readonly version: string
  readonly state: number
  readonly remote_address: string
  readonly connect_ts: number
  readonly message_count: number
  readonly finish_count: number
  readonly requeue_count: number
  readonly in_flight_count: number
  readonly ready_count: number
  readonly sample_rate: number
  readonly tls: boolean
  readonly deflate: boolean
  readonly snappy: boolean
  readonly auth_identity?: string
}
