/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.RingHistory;
import io.forebay.capacity.series.Rings;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The history of a service, sampled once a second, and the figures derived from it. Memory is
 * allocated once. Thread-safe; figures are as of the latest sample. A time without samples and the
 * reset of a counter leave gaps. {@link #usual()} has what a restart must not forget.
 */
public final class ServiceHistory extends RingHistory {

  private static final Duration RATE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration JUST_NOW = Duration.ofSeconds(3);
  private static final Duration CLEARLY_OVER = Duration.ofSeconds(5);

  /** The messages of a backlog of less than a second are performed within this time. */
  private static final Duration LAST_OF_BACKLOG = Duration.ofSeconds(2);

  /** An intake of this many times what is performed is a burst, once enough messages wait. */
  private static final double BURST = 1.2;

  /** An intake of this many times what is performed leaves no doubt. */
  private static final double CLEAR_BURST = 1.5;

  /** A burst has lasted for three samples. */
  private static final Duration BURST_HELD = Duration.ofSeconds(2);

  /**
   * After a burst that lasted at least this long, the intake is that of the last 3 s, for as long
   * as the mean of 10 s contains the burst. The pulses of a sender that sends every few seconds are
   * shorter.
   */
  private static final Duration LEAST_BURST = Duration.ofSeconds(5);

  /** A forecast from the rates of seconds reaches no further. */
  private static final Until FORESEEN = new Until.In(Duration.ofMinutes(15));

  private static final int FEW_MESSAGES = 20;
  private static final double BUSY = 0.5;
  private static final double CLEARLY_MORE = 2;

  private static final Duration QUARTER = Duration.ofMinutes(15);

  private final BurstPast bursts = new BurstPast();
  private @Nullable Instant first;
  private @Nullable ServiceSample latest;
  private final Pace pace = new Pace();
  private final Trend trend = new Trend();
  private @Nullable Instant growingSince;

  /** Whether the oldest message, or one before it without a break, has waited for long. */
  private boolean wasBehind;

  /** When a backlog was last drained. */
  private @Nullable Instant drained;

  private @Nullable Instant burstSince;
  private @Nullable Instant burstEnded;

  public ServiceHistory() {
    super(
        new Rings(
            EnumSet.of(
                Measure.ACCEPTED,
                Measure.PERFORMED,
                Measure.BEHIND,
                Measure.UNPERFORMED,
                Measure.BUSY,
                Measure.WRITTEN,
                Measure.SATURATED)));
  }

  /**
   * Adds a sample; call it once a second. A sample that is up to 10 s older than the latest is
   * dropped; if the clock was set back by more, later samples are discarded.
   */
  public synchronized void add(ServiceSample sample) {
    if (!rings.begin(sample.at())) {
      return;
    }
    if (first == null || first.isAfter(sample.at())) {
      first = sample.at();
    }
    ServiceSample before = latest;
    latest = sample;
    if (before != null) {
      rings.add(Measure.ACCEPTED, rate(before, sample, before.accepted(), sample.accepted()));
      rings.add(Measure.PERFORMED, rate(before, sample, before.performed(), sample.performed()));
      rings.add(
          Measure.WRITTEN, rate(before, sample, before.writtenBytes(), sample.writtenBytes()));
    }
    pace.add(sample).ifPresent(rate -> rings.add(Measure.SATURATED, rate));
    pace.seen()
        .filter(it -> showsCapacity(it, sample.at()))
        .ifPresent(it -> bursts.see(it.perSecond(), sample.at()));
    boolean areWaiting = sample.unperformed().known().orElse(0L) > 0;
    boolean isAway = areWaiting && !sample.paused() && !pace.isWorking();
    rings.add(Measure.BUSY, isAway ? Double.NaN : sample.busy().orElse(Double.NaN));
    if (areWaiting && pace.isWorking() && !pace.isReturning()) {
      trend.add(
          intake().known().orElse(0.0), performed(), sample, pace.window(), pace.hasCommitted());
    } else {
      trend.forget();
    }
    rings.add(
        Measure.UNPERFORMED,
        sample.unperformed().known().map(Long::doubleValue).orElse(Double.NaN));
    rings.add(Measure.BEHIND, Lag.behind(sample).known().map(Lag::seconds).orElse(Double.NaN));
    Duration usual = SECOND.plus(longestBatch()); // it may be that old right after a commit
    boolean isBehind =
        isBehind(wasBehind && usual.compareTo(CLEARLY_OVER) < 0 ? usual : CLEARLY_OVER);
    if (isBehind ? trend.state() == Lag.State.DRAINING : wasBehind) {
      drained = sample.at();
    }
    wasBehind = isBehind;
    if (trend.state() != Lag.State.GROWING) {
      growingSince = null;
    } else if (growingSince == null || growingSince.isAfter(sample.at())) {
      growingSince = sample.at();
    }
    noteBurst(isBurst(sample), sample.at());
  }

  private boolean isBehind(Duration least) {
    return latest != null
        && Lag.behind(latest).known().filter(it -> it.compareTo(least) >= 0).isPresent();
  }

  /**
   * Whether the workers were busy, or clearly more was performed than usually comes in. At a start
   * neither is known: in the first minute code is compiled, which also takes the time of workers,
   * and in the first minutes with messages nothing is usual yet.
   */
  private boolean showsCapacity(Pace.Seen seen, Instant now) {
    boolean isWarm = first != null && !now.isBefore(first.plus(MINUTE));
    return (isWarm && seen.busy() >= BUSY)
        || (usualIntake() instanceof Figure.Measured<Double>(Double usual)
            && seen.perSecond() >= CLEARLY_MORE * usual);
  }

  private void noteBurst(boolean isBurst, Instant now) {
    Instant since = burstSince;
    if (isBurst && since != null && !since.isAfter(now)) {
      return;
    }
    if (!isBurst && since != null && !since.plus(LEAST_BURST).isAfter(now)) {
      burstEnded = now;
    }
    burstSince = isBurst ? now : null;
  }

  /** Whether the mean of the last 10 s contains a burst that is over. */
  private boolean isAfterBurst() {
    return latest != null
        && burstSince == null
        && burstEnded != null
        && !burstEnded.isAfter(latest.at())
        && Duration.between(burstEnded, latest.at()).compareTo(RATE) < 0;
  }

  /**
   * The change per second; NaN if unknown, if the counter was reset, or if there was a gap between
   * the samples.
   */
  public static double rate(Instant from, Instant to, OptionalLong before, OptionalLong now) {
    double elapsed = Duration.between(from, to).toNanos() / 1e9;
    if (before.isEmpty() || now.isEmpty() || elapsed <= 0 || elapsed > RATE.toSeconds()) {
      return Double.NaN;
    }
    long more = now.getAsLong() - before.getAsLong();
    return more < 0 ? Double.NaN : more / elapsed;
  }

  private static double rate(
      ServiceSample from, ServiceSample to, OptionalLong before, OptionalLong now) {
    return rate(from.at(), to.at(), before, now);
  }

  /** When the latest sample was taken. */
  public synchronized Optional<Instant> at() {
    return Optional.ofNullable(latest).map(ServiceSample::at);
  }

  /**
   * Messages accepted per second over the last 10 s; for 10 s after a burst over the last 3 s, so
   * that its end shows at once.
   */
  public synchronized Figure<Double> accepted() {
    return mean(Measure.ACCEPTED, shownOver());
  }

  private Duration shownOver() {
    return isAfterBurst() ? JUST_NOW : RATE;
  }

  /** Like {@link #accepted()}, but over a whole batch if that takes longer. */
  private Figure<Double> intake() {
    return over(Measure.ACCEPTED, shownOver());
  }

  /** Over the longest of the last batches if that took longer. */
  private synchronized Figure<Double> over(Measure measure, Duration least) {
    Duration batch = longestBatch();
    return mean(measure, batch.compareTo(least) > 0 ? batch : least);
  }

  private Duration longestBatch() {
    return Duration.ofMillis(pace.window().map(Pace.Window::longestMillis).orElse(0L));
  }

  /**
   * Messages performed per second over the last 10 s. While messages wait, from commit to commit
   * over at least three batches, without the running one; unknown if that has run much longer than
   * those before, or is the first.
   */
  public synchronized Figure<Double> performed() {
    return pace.perSecond().orElseGet(() -> mean(Measure.PERFORMED, RATE));
  }

  /** Whether nothing was performed in the last 3 s, or in the time of a long batch. */
  public synchronized boolean performsNothing() {
    return over(Measure.PERFORMED, JUST_NOW).known().filter(it -> it > 0).isEmpty();
  }

  /**
   * Whether it performs the first batch after a time in which messages waited and none was
   * performed, such as an outage of its database: no rate is known, and no trend.
   */
  public synchronized boolean isReturning() {
    return pace.isReturning();
  }

  /**
   * Share of the last minute in which the workers were busy, from 0 to 1; that of the last 10 s if
   * that is less. For 10 s after a backlog, that of the time since its last messages were
   * performed, so that its end shows at once; unknown in the first 3 s. The time in which they
   * waited for something, such as the database, is left out.
   */
  public synchronized Figure<Double> busy() {
    Duration since =
        latest == null || drained == null ? RATE : Duration.between(drained, latest.at());
    boolean isAfterBacklog = !wasBehind && !since.isNegative() && since.compareTo(RATE) < 0;
    if (isAfterBacklog && since.compareTo(JUST_NOW) < 0) {
      return Figure.unknown("the workers have just performed a backlog");
    }
    Figure<Double> now = mean(Measure.BUSY, isAfterBacklog ? since.minus(LAST_OF_BACKLOG) : RATE);
    return mean(Measure.BUSY, MINUTE).map(it -> Math.min(it, now.known().orElse(it)));
  }

  /** Bytes appended per second over the last 15 minutes, or since the first sample. */
  public Figure<Double> written() {
    return mean(Measure.WRITTEN, QUARTER);
  }

  /** Bytes on disk per message over the last 15 minutes. */
  public Figure<Double> bytesPerMessage() {
    return written()
        .then(bytes ->
            mean(Measure.ACCEPTED, QUARTER)
                .then(messages ->
                    messages > 0
                        ? Figure.measured(bytes / messages)
                        : Figure.unknown("no message arrived in the last 15 minutes")));
  }

  /** How far it is behind, compared with the longest wait allowed. */
  public synchronized Lag lag(Duration limit) {
    ServiceSample sample = latest;
    if (sample == null) {
      return Lag.unknown(NO_SAMPLE);
    }
    Lag lag =
        Lag.of(
            new Lag.Input(
                sample,
                limit,
                intake(),
                performed(),
                sample
                    .oldest()
                    .map(this::acceptedAround)
                    .orElseGet(() -> Figure.unknown("nothing waits")),
                trend.state(),
                growingSince == null ? Duration.ZERO : Duration.between(growingSince, sample.at()),
                wasBehind));
    if (first != null && Duration.between(first, sample.at()).compareTo(RATE) < 0) {
      return lag.withoutEnd("the rates of 10 s are not known yet");
    }
    Lag seen = limit.isZero() || sample.paused() ? lag : foreseen(lag, limit, sample);
    return pace.isStarting() ? seen.withoutEnd("it has just begun to perform again") : seen;
  }

  private Lag foreseen(Lag lag, Duration limit, ServiceSample sample) {
    if (burstSince != null
        && Duration.between(burstSince, sample.at()).compareTo(BURST_HELD) >= 0
        && waitOfNext(sample) >= Lag.seconds(limit) / 100) {
      Until late = lateByBurst(lag, limit);
      if (late.compareTo(FORESEEN) <= 0) {
        return lag.inBurst(late);
      }
    }
    boolean isClearing = lag.clear().known().filter(it -> it instanceof Until.In).isPresent();
    boolean isAging = lag.growth().known().filter(it -> it > 0).isPresent();
    return isClearing && isAging ? clearing(lag, sample, limit) : lag;
  }

  /**
   * Whether clearly more comes in than is performed. A message that comes in now waits L / P: a
   * large excess shows in that within seconds, chance at a small rate does not.
   *
   * <pre>
   * burst = A &gt; 1.2 P, and L &ge; 20, and L / P &ge; 5 s (1.5 s if A &ge; 1.5 P)
   * </pre>
   *
   * A is the intake of the last 3 s, or of a batch if that takes longer. Messages may come in
   * steps: while fewer and fewer wait, such a step is no burst until it shows in {@link Trend}. A
   * burst lasts as long as A &gt; P.
   */
  private boolean isBurst(ServiceSample sample) {
    if (pace.isReturning()
        || trend.state() == Lag.State.DRAINING
        || sample.unperformed().known().filter(it -> it >= FEW_MESSAGES).isEmpty()) {
      return false;
    }
    double comes = acceptedJustNow();
    double goes = performedJustNow();
    if (goes <= 0 && performed().known().isEmpty()) {
      return false; // the first batch is being performed
    }
    return burstSince == null
        ? comes > BURST * goes && waitOfNext(sample) >= (comes >= CLEAR_BURST * goes ? 1.5 : 5)
        : comes > goes;
  }

  private double acceptedJustNow() {
    return over(Measure.ACCEPTED, JUST_NOW).known().orElse(0.0);
  }

  /**
   * P: that of the last 3 s if batches are shorter, or {@link #performed()} if that is more,
   * because commits come in steps; that of the last minute while a batch runs for so long that it
   * is unknown.
   */
  private double performedJustNow() {
    double lately =
        longestBatch().compareTo(JUST_NOW) <= 0
            ? mean(Measure.PERFORMED, JUST_NOW).known().orElse(0.0)
            : 0;
    return Math.max(lately, performed().or(mean(Measure.PERFORMED, MINUTE)).known().orElse(0.0));
  }

  /** L / P, in seconds. */
  private double waitOfNext(ServiceSample sample) {
    return sample.unperformed().known().map(it -> it / performedJustNow()).orElse(0.0);
  }

  /**
   * When a burst makes the service late, from the rates of the last seconds; needs no capacity.
   *
   * <pre>
   * late = (limit - S) / (1 - P / A)
   * </pre>
   */
  private Until lateByBurst(Lag lag, Duration limit) {
    double comes = acceptedJustNow();
    double left = lag.behind().known().map(it -> Lag.seconds(limit.minus(it))).orElse(Double.NaN);
    return Until.ofSeconds(left / (1 - performedJustNow() / comes), "it is not late");
  }

  /**
   * After a burst, the oldest wait still rises although fewer and fewer messages wait, because
   * those of the burst came in fast. A message waits until those before it are performed, at P: the
   * first one that passes the limit makes it late, and the longest wait is the peak. Without a
   * forecast if it is late, or if the intake is no longer recorded by second.
   */
  private Lag clearing(Lag lag, ServiceSample sample, Duration limit) {
    double goes = performed().known().orElse(0.0);
    Optional<Instant> oldest = sample.oldest();
    Optional<Long> waiting = sample.unperformed().known();
    if (goes <= 0 || waiting.isEmpty() || oldest.isEmpty()) {
      return lag;
    }
    Points points = rings.read(Measure.ACCEPTED, oldest.get(), sample.at().plus(SECOND), SECOND);
    double before = waiting.get() - points.mean() * points.size(); // some of the first are done
    double longest = 0;
    Until late = new Until.Never("it catches up before that");
    for (int i = 0; i < points.size(); i++) {
      if (Float.isNaN(points.raw(i))) {
        return lag;
      }
      before += points.raw(i);
      double age = Lag.seconds(Duration.between(points.time(i), sample.at()));
      double wait = age + before / goes;
      if (late instanceof Until.Never && wait >= Lag.seconds(limit)) {
        late = Until.ofSeconds(Lag.seconds(limit) - age, "it is not late");
      }
      longest = Math.max(longest, wait);
    }
    boolean isLate = !oldest.get().plus(limit).isAfter(sample.at());
    return lag.clearing(
        isLate ? new Until.Passed() : late, Duration.ofNanos(Math.round(longest * 1e9)));
  }

  private static final String NO_SAMPLE = "the service has not been sampled yet";

  private Figure<Double> acceptedAround(Instant moment) {
    Instant to = moment.plusSeconds(RATE.toSeconds() / 2);
    double mean = rings.read(Measure.ACCEPTED, to.minus(RATE), to, SECOND).mean();
    if (Double.isNaN(mean)) {
      mean = rings.read(Measure.ACCEPTED, moment.minus(MINUTE), moment.plus(MINUTE), MINUTE).mean();
    }
    return Double.isNaN(mean)
        ? intake()
            .with(performed(), (comes, goes) -> Math.max(comes, goes))
            .then(rate -> Figure.estimated(rate, "at the present intake"))
        : Figure.measured(mean);
  }

  /** The rate at which the database can perform messages of this service. */
  public synchronized DatabaseRate databaseRate() {
    Instant now = latest == null ? Instant.EPOCH : latest.at();
    return DatabaseRate.of(backlogs(), now, atLeastNow(), bursts.most(now));
  }

  /** What it performs at present if no message waits, and has performed in the last minute. */
  private double atLeastNow() {
    boolean keepsUp =
        latest != null && latest.unperformed().known().filter(it -> it == 0).isPresent();
    return Math.max(
        pace.inLastMinute().orElse(0),
        keepsUp
            ? Math.min(
                mean(Measure.PERFORMED, RATE).known().orElse(0.0), // a long batch counts at its end
                mean(Measure.ACCEPTED, RATE).known().orElse(0.0))
            : 0);
  }

  /**
   * Whether the database is slower than usual. It is if the workers have been busy for a minute or
   * more, messages have waited meanwhile, and it performed much less than it can; or if the workers
   * have been busy and each message took much longer than usual: at least 1.5 times as long over 10
   * s, or three times over 5 s. Busy workers alone say nothing: they begin the next batch as soon
   * as a message is there. What they perform while no message waits for a second is no limit
   * either, because batches are small then: it can perform as many times less as a message takes
   * longer.
   */
  public synchronized Figure<DatabaseRate.Slower> slowerNow() {
    Duration over = RATE;
    OptionalDouble times = timesUsual(over, DatabaseRate.SLOWER);
    if (times.isEmpty()) {
      over = CLEARLY_OVER;
      times = timesUsual(over, DatabaseRate.CLEARLY_SLOWER);
    }
    OptionalDouble backlog = pace.saturatedNow();
    double now =
        backlog.isPresent()
            ? performed().known().orElse(Double.NaN)
            : isBehind(SECOND)
                ? 1 / cost(over)
                : Figure.number(databaseRate().perSecond()) / times.orElse(Double.NaN);
    boolean isLow = databaseRate().isMuchMoreThan(Math.max(now, backlog.orElse(0)));
    if (times.isEmpty() && (backlog.isEmpty() || !isLow)) {
      return DatabaseRate.NOT_SLOWER;
    }
    return Figure.measured(
        new DatabaseRate.Slower(
            isLow || (backlog.isPresent() && !Double.isNaN(now)) ? now : null,
            times.isPresent() ? times.getAsDouble() : null,
            lostToFailures(
                times.isPresent() ? over : RATE,
                times.orElse(Figure.number(databaseRate().orAtLeast()) / now))));
  }

  /**
   * The share of time lost to statements that fail, if that slows the service down more than the
   * database does.
   *
   * <pre>
   * times = 1 / (1 - lost) · times of the database
   * </pre>
   */
  private @Nullable Double lostToFailures(Duration over, double times) {
    double lost = pace.lostShare(over);
    return times * (1 - lost) * (1 - lost) <= 1 ? lost : null;
  }

  /**
   * The time that a message takes, as a multiple of the usual one; empty if that is unknown or less
   * than {@code least}, or if the workers are not busy.
   */
  private OptionalDouble timesUsual(Duration over, double least) {
    double busy = mean(Measure.BUSY, over).known().orElse(0.0);
    if (latest == null || busy < DatabaseRate.SATURATED) {
      return OptionalDouble.empty();
    }
    double cost = cost(over);
    if (!Double.isFinite(cost)) {
      return OptionalDouble.empty(); // none was performed: nothing to compare
    }
    double intake = mean(Measure.ACCEPTED, over).known().orElse(0.0);
    OptionalDouble usual = bursts.usualCost(rings, latest.at(), Math.max(intake, busy / cost));
    double times = cost / usual.orElse(Double.POSITIVE_INFINITY);
    return times >= least && Double.isFinite(times)
        ? OptionalDouble.of(times)
        : OptionalDouble.empty();
  }

  /**
   * Messages per second to plan with: what the database can perform, at least what was seen if that
   * was not measured, or what it does at present if it is slower than usual.
   */
  public synchronized Figure<Double> cautiousRate() {
    return slowerNow()
        .known()
        .filter(it -> it.perSecond() != null)
        .map(it -> Figure.estimated(Objects.requireNonNull(it.perSecond()), it.cause()))
        .orElseGet(() -> databaseRate().orAtLeast());
  }

  private Optional<DatabaseRate.Saturated> backlogs() {
    return latest == null ? Optional.empty() : bursts.best(rings, latest.at());
  }

  /** The state of the service for {@link BurstHeadroom}. */
  public BurstHeadroom.Service beforeBurst(Duration limit) {
    return new BurstHeadroom.Service(
        limit, accepted(), cautiousRate(), lag(limit).unperformed(), bytesPerMessage());
  }

  /**
   * The time that {@link #usualIntake} is from, up to 24 hours; null if it was before the start.
   */
  public synchronized @Nullable Duration usualOver() {
    return latest == null || first == null ? Duration.ZERO : bursts.usualOver(latest.at(), first);
  }

  /** Messages per second of the burst to plan with; see {@link BurstHeadroom#referenceRate}. */
  public Figure<Double> referenceBurst() {
    return BurstHeadroom.referenceRate(usualIntake());
  }

  /** What a later process has to know, as of the latest sample; for {@link #remember}. */
  public synchronized UsualRates usual() {
    return latest == null || first == null
        ? UsualRates.UNKNOWN
        : bursts.toRemember(rings, latest.at(), first);
  }

  /** Continues with what an earlier process knew. Must be called before the first sample. */
  public synchronized void remember(UsualRates rates) {
    bursts.remember(rates);
  }

  /** The usual intake: the median of 24 hours, before there is a minute the mean of the seconds. */
  public synchronized Figure<Double> usualIntake() {
    if (latest == null || first == null) {
      return Figure.unknown(NO_SAMPLE);
    }
    return bursts
        .usualMinute(rings, latest.at(), first)
        .or(
            mean(Measure.ACCEPTED, QUARTER)
                .then(rate ->
                    rate > 0
                        ? Figure.estimated(rate, "from less than two minutes of samples")
                        : Figure.unknown("no message arrived in the last 24 hours")));
  }

  /** When the first sample was taken. */
  public synchronized Optional<Instant> since() {
    return Optional.ofNullable(first);
  }

  /**
   * How long bursts usually last: the 95th percentile of the stretches in 24 hours in which more
   * came in than the database can perform, or of an earlier day if there were fewer than three; 5
   * minutes if there were none, unknown if what it can perform was not measured.
   */
  public synchronized Figure<Duration> typicalBurst() {
    ServiceSample sample = latest;
    return sample == null
        ? Figure.unknown(NO_SAMPLE)
        : databaseRate().perSecond().then(can -> bursts.typicalLength(rings, sample.at(), can));
  }

  /**
   * Worker seconds per message and partition, of the latest seconds in which the workers waited for
   * nothing else; NaN or infinite if none was performed in them.
   */
  private double cost(Duration over) {
    Instant end = (latest == null ? Instant.EPOCH : latest.at()).plus(SECOND);
    Points busy = rings.read(Measure.BUSY, end.minus(over), end, SECOND);
    Points performed = rings.read(Measure.PERFORMED, end.minus(over), end, SECOND);
    double worked = 0;
    double done = 0;
    for (int i = 0; i < Math.min(busy.size(), performed.size()); i++) {
      if (!Float.isNaN(busy.raw(i)) && !Float.isNaN(performed.raw(i))) {
        worked += busy.raw(i);
        done += performed.raw(i);
      }
    }
    return worked / done;
  }

  private synchronized Figure<Double> mean(Measure measure, Duration length) {
    double mean = latest == null ? Double.NaN : rings.mean(measure, latest.at(), length);
    return Double.isNaN(mean)
        ? Figure.unknown("nothing was sampled in the last %d s".formatted(length.toSeconds()))
        : Figure.measured(mean);
  }
}
