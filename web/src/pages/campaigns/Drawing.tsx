import styles from './Drawing.module.css'

/** One page on the left, and the channels that lead to it. For those who have no campaigns. */
export function Drawing() {
  return (
    <svg className={styles.drawing} viewBox="0 0 220 120" width={220} height={120} aria-hidden="true">
      {[24, 60, 96].map((y, channel) => (
        <g key={y}>
          <path className={styles.way} d={`M82 60 C 116 60, 110 ${y}, 144 ${y}`} />
          <circle className={styles.stop} cx={144} cy={y} r={4} />
          <rect className={styles.channel} x={156} y={y - 12} width={52} height={24} rx={12} />
          <rect
            className={styles.bar}
            data-channel={channel}
            x={166}
            y={y - 3}
            width={32 - channel * 9}
            height={6}
            rx={3}
          />
        </g>
      ))}
      <rect className={styles.page} x={14} y={26} width={62} height={68} rx={8} />
      <path className={styles.top} d="M14 40 h62" />
      <circle className={styles.dot} cx={22} cy={33} r={2} />
      <circle className={styles.dot} cx={29} cy={33} r={2} />
      <rect className={styles.text} x={24} y={50} width={42} height={6} rx={3} />
      <rect className={styles.text} x={24} y={62} width={30} height={6} rx={3} />
      <rect className={styles.button} x={24} y={76} width={22} height={9} rx={4.5} />
      <circle className={styles.stop} cx={82} cy={60} r={4} />
    </svg>
  )
}
