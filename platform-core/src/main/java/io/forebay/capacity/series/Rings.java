/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Some series, each in steps of 1 s, 10 s and 1 min, in memory that is allocated once. Every step
 * is computed from the samples, never from shorter steps. Up to 1 MiB of samples that were not
 * taken with {@link #changes()} is kept in addition. Thread-safe.
 */
public final class Rings {

  /**
   * If the clock was set back by less than this, the history is kept and samples are dropped until
   * the clock catches up.
   */
  static final Duration SET_BACK = Duration.ofSeconds(10);

  /** In changes: a second follows, and no value. */
  private static final int SECOND = 127;

  private static final Duration LONG_MEAN = Duration.ofMinutes(5);

  private final Map<Measure, List<Tier>> series = new EnumMap<>(Measure.class);
  private final List<Measure> measures;
  private final Changes changes = new Changes(this::second);
  private long latest = Long.MIN_VALUE;

  public Rings(Set<Measure> measures, RingLengths lengths) {
    this.measures = List.copyOf(measures);
    for (Measure measure : measures) {
      series.put(
          measure,
          List.of(
              tier(1, lengths.seconds(), measure),
              tier(10, lengths.tens(), measure),
              tier(60, lengths.minutes(), measure)));
    }
  }

  private static Tier tier(int stepSeconds, Duration reach, Measure measure) {
    return new Tier(stepSeconds, (int) (reach.toSeconds() / stepSeconds), measure.merge);
  }

  /**
   * Begins the second of a sample.
   *
   * @return whether to record it: false if a later sample was recorded, unless the clock was set
   *     back by more than {@link #SET_BACK}
   */
  public synchronized boolean begin(Instant at) {
    long second = at.getEpochSecond();
    if (second < latest && latest - second <= SET_BACK.toSeconds()) {
      return false;
    }
    if (second < latest) {
      series.values().forEach(tiers -> tiers.forEach(tier -> tier.forgetAfter(second)));
    }
    latest = second;
    changes.begin();
    return true;
  }

  private void second(DataOutputStream out) throws IOException {
    out.writeByte(SECOND);
    out.writeLong(latest);
  }

  /** Records a value in the current second; NaN for a gap. */
  public synchronized void add(Measure measure, double value) {
    for (Tier tier : tiers(measure)) {
      tier.add(latest, value);
    }
    changes.add(out -> {
      out.writeByte(measures.indexOf(measure));
      out.writeFloat((float) value);
    });
  }

  /**
   * The steps that begin in [from, to). If steps of the requested length do not reach back far
   * enough, returns the shortest that do.
   */
  public synchronized Points read(Measure measure, Instant from, Instant to, Duration step) {
    Tier chosen = null;
    for (Tier tier : tiers(measure)) {
      chosen = tier;
      if (tier.stepSeconds >= step.toSeconds() && tier.reaches(from.getEpochSecond())) {
        break;
      }
    }
    return java.util.Objects.requireNonNull(chosen)
        .read(from.getEpochSecond(), to.getEpochSecond());
  }

  /**
   * The mean of the values in (to - length, to]; NaN if there are none. Uses steps of 10 s for more
   * than five minutes, which is a tenth of the work.
   */
  public double mean(Measure measure, Instant to, Duration length) {
    Instant end = to.plusSeconds(1);
    long step = length.compareTo(LONG_MEAN) > 0 ? 10 : 1;
    return read(measure, end.minus(length), end, Duration.ofSeconds(step)).mean();
  }

  private List<Tier> tiers(Measure measure) {
    List<Tier> tiers = series.get(measure);
    if (tiers == null) {
      throw new IllegalArgumentException(
          "%s is not recorded here (recorded=%s)".formatted(measure, series.keySet()));
    }
    return tiers;
  }

  /** All series. What was recorded until now is not in the next {@link #changes()}. */
  public synchronized byte[] toBytes() {
    changes.take();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(latest);
      out.writeInt(series.size());
      for (Map.Entry<Measure, List<Tier>> entry : series.entrySet()) {
        out.writeUTF(entry.getKey().name());
        for (Tier tier : entry.getValue()) {
          tier.write(out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Restores the history after a restart. Must be called before the first sample. */
  public synchronized void restore(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      latest = in.readLong();
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        String name = in.readUTF();
        List<Tier> tiers =
            series.entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseGet(() -> List.of(dropped(1), dropped(10), dropped(60)));
        for (Tier tier : tiers) {
          tier.restore(in);
        }
      }
    }
  }

  /**
   * What was recorded since the last call of this method or of {@link #toBytes()}; about 40 bytes
   * for a second of six series, and none if nothing was recorded.
   */
  public synchronized byte[] changes() {
    byte[] recorded = changes.take();
    if (recorded.length == 0) {
      return recorded;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(measures.size());
      for (Measure measure : measures) {
        out.writeUTF(measure.name());
      }
      out.write(recorded);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Records the result of {@link #changes()} again. Values of a series that is not recorded here
   * are ignored, and those whose second is unknown are skipped. Call it after {@link #restore}, in
   * the order in which the changes were taken.
   *
   * @throws IOException if the bytes are not changes; those before the error are recorded
   */
  public synchronized void apply(byte[] recorded) throws IOException {
    if (recorded.length == 0) {
      return;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(recorded))) {
      String[] names = new String[in.readByte()];
      for (int i = 0; i < names.length; i++) {
        names[i] = in.readUTF();
      }
      boolean taken = false;
      while (in.available() > 0) {
        int what = in.readByte();
        if (what == SECOND) {
          taken = begin(Instant.ofEpochSecond(in.readLong()));
        } else if (what < 0 || what >= names.length) {
          throw new IOException("no series %d among %d".formatted(what, names.length));
        } else {
          float value = in.readFloat();
          if (taken) {
            again(names[what], value);
          }
        }
      }
    }
    changes.take();
  }

  private void again(String name, float value) {
    for (Measure measure : measures) {
      if (measure.name().equals(name)) {
        add(measure, value);
      }
    }
  }

  private static Tier dropped(int stepSeconds) {
    return new Tier(stepSeconds, 1, Measure.Merge.LAST);
  }
}
