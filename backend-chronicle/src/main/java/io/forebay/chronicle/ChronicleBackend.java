/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.chronicle.file.CycleClock;
import io.forebay.chronicle.file.DiskSpace;
import io.forebay.chronicle.file.Host;
import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.place.FileLengths;
import io.forebay.chronicle.place.InstanceLock;
import io.forebay.chronicle.place.QueueProperties;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Stores queues on the disk of one host, in Chronicle Queue files. Thread-safe.
 *
 * <p>One process owns the data directory while the backend is open. An acknowledged message
 * survives the death of the process (level PROCESS) or a power failure of the host (level DISK).
 * Every message carries a checksum and its number; every read checks both.
 */
public final class ChronicleBackend implements QueueBackend {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  static final String QUEUES = "queues";

  private static final Duration TICK = Duration.ofMillis(250);

  /** Full work every 10 s: it forces small files to disk, which can slow down appends. */
  private static final int TICKS_BETWEEN_ALL = 40;

  private final Path data;
  private final QueueSettings settings;
  private final Options options;
  private final InstanceLock lock;
  private final FileStore volume;
  private final Map<String, ChronicleMessageQueue> queues = new ConcurrentHashMap<>();
  private int ticks;
  private final BackgroundTask housekeeper =
      new BackgroundTask(
          "forebay-chronicle",
          TICK,
          new Outage(
              LoggerFactory.getLogger(ChronicleBackend.class),
              "Maintenance of queue files",
              "it is retried every " + TICK.toMillis() + " ms"),
          () -> tick(++ticks % TICKS_BETWEEN_ALL == 0));
  private volatile boolean listed;
  private boolean closed;
  private boolean released;

  /** How an append gets to the file. */
  public enum Writing {
    /** The thread that appends writes to the file. */
    DIRECT,
    /** The same, and another thread prepares the pages that it will write to. */
    PRETOUCH,
    /** The thread that appends writes to a ring in memory, and another one to the file. */
    ASYNC
  }

  /**
   * Storage options of a backend.
   *
   * @param level the level at which it acknowledges: PROCESS or DISK
   * @param minFreeBytes refuse messages when fewer bytes are free on the disk
   * @param minFreeFraction refuse messages when a smaller fraction of the disk is free; from 0 up
   *     to, not including, 1
   * @param ring used by {@link Writing#ASYNC}
   * @param roll how long queues write to one file; fixed when a queue is created
   */
  public record Options(
      Level level,
      long minFreeBytes,
      double minFreeFraction,
      Writing writing,
      RingSettings ring,
      Duration roll) {

    public Options {
      if (level != Level.PROCESS && level != Level.DISK) {
        throw new IllegalArgumentException("level %s (possible: PROCESS, DISK)".formatted(level));
      }
      if (minFreeBytes < 0 || !(minFreeFraction >= 0 && minFreeFraction < 1)) {
        throw new IllegalArgumentException(
            "minFreeBytes=%d, minFreeFraction=%s (at least 0; the fraction below 1)"
                .formatted(minFreeBytes, minFreeFraction));
      }
      if (!FileLengths.POSSIBLE.contains(roll)) {
        throw new IllegalArgumentException(
            "roll=%s (possible: %s)".formatted(roll, FileLengths.POSSIBLE));
      }
    }

    /**
     * PROCESS; refuse messages below 256 MiB or 5 % free; DIRECT; rings of 16 MiB in {@code
     * /dev/shm}; a file per hour.
     */
    public static Options defaults() {
      return new Options(
          Level.PROCESS,
          256L << 20,
          0.05,
          Writing.DIRECT,
          new RingSettings(Path.of("/dev/shm"), 16 << 20),
          Duration.ofHours(1));
    }

    public Options withLevel(Level changed) {
      return new Options(changed, minFreeBytes, minFreeFraction, writing, ring, roll);
    }

    public Options withMinFree(long bytes, double fraction) {
      return new Options(level, bytes, fraction, writing, ring, roll);
    }

    public Options withWriting(Writing changed) {
      return new Options(level, minFreeBytes, minFreeFraction, changed, ring, roll);
    }

    public Options withRing(RingSettings changed) {
      return new Options(level, minFreeBytes, minFreeFraction, writing, changed, roll);
    }

    public Options withRoll(Duration changed) {
      return new Options(level, minFreeBytes, minFreeFraction, writing, ring, changed);
    }
  }

  private ChronicleBackend(Path data, QueueSettings settings, Options options, InstanceLock lock)
      throws IOException {
    this.data = data;
    this.settings = settings;
    this.options = options;
    this.lock = lock;
    volume = Files.getFileStore(data.resolve(QUEUES));
    settings.space().check();
    if (settings.host().background()) {
      housekeeper.start(TICK);
    }
  }

  /** Opens with {@link Options#defaults()}. */
  public static ChronicleBackend open(Path data) {
    return open(data, Options.defaults());
  }

  /**
   * Opens a data directory and creates it if it does not exist.
   *
   * @throws StartRefused if this or another process has it open, if it belongs to another user, or
   *     if the JVM was started without the options that Chronicle needs; the message names them
   * @throws UncheckedIOException if the directory cannot be created or locked
   */
  public static ChronicleBackend open(Path data, Options options) {
    return open(data, options, null);
  }

  static ChronicleBackend open(Path data, Options options, @Nullable Host host) {
    JvmOptions.prepare();
    try {
      PrivateFiles.ownDirectory(data);
    } catch (FileSystemException e) {
      throw StartRefused.of(data, e);
    } catch (IOException e) {
      throw notOpened(data, e);
    }
    InstanceLock lock = InstanceLock.take(data);
    try {
      PrivateFiles.ownDirectory(data.resolve(QUEUES));
      PrivateFiles.forceDirectory(data);
      Host given = host == null ? Host.real(data, FileLengths.cycle(options.roll())) : host;
      QueueSettings settings =
          new QueueSettings(
              options.level(),
              given,
              new CycleClock(given.wallMillis(), given.nanos()),
              new DiskSpace(given.space(), options.minFreeBytes(), options.minFreeFraction()));
      return new ChronicleBackend(data, settings, options, lock);
    } catch (IOException e) {
      lock.close();
      throw notOpened(data, e);
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private static UncheckedIOException notOpened(Path data, IOException e) {
    return new UncheckedIOException("the data directory %s cannot be opened".formatted(data), e);
  }

  @Override
  public String name() {
    return "chronicle";
  }

  @Override
  public synchronized MessageQueue open(String name, int partitions, Duration kept) {
    if (closed) {
      throw new IllegalStateException("the Chronicle backend on %s is closed".formatted(data));
    }
    if (!NAME.matcher(name).matches() || partitions < 1) {
      throw new IllegalArgumentException(
          "invalid queue (name=%s, partitions=%d); the name must match %s, and at least 1 partition is required"
              .formatted(name, partitions, NAME));
    }
    if (queues.containsKey(name)) {
      throw new IllegalStateException(
          "queue %s is already open in this process; each service needs a name of its own"
              .formatted(name));
    }
    try {
      ChronicleMessageQueue queue = openQueue(name, partitions, kept);
      queues.put(name, queue);
      return queue;
    } catch (IOException e) {
      throw new QueueFailed("queue %s cannot be opened".formatted(name), e);
    }
  }

  private ChronicleMessageQueue openQueue(String name, int partitions, Duration kept)
      throws IOException {
    Path directory = data.resolve(QUEUES).resolve(name);
    if (Files.isSymbolicLink(directory)) {
      throw new StartRefused(
          "queue %s is a symbolic link (%s), so the lock of this data directory does not protect it; move its directory there"
              .formatted(name, directory));
    }
    PrivateFiles.ownDirectory(directory);
    PrivateFiles.forceDirectory(directory.getParent());
    QueueProperties properties = QueueProperties.openOrCreate(name, directory, partitions, roll());
    try {
      return new ChronicleMessageQueue(
          name, directory, settings, properties, options, kept, this::ended);
    } catch (QueueFailed | StartRefused e) {
      throw e;
    } catch (RuntimeException | AssertionError | InternalError e) {
      throw new QueueFailed(
          "queue %s cannot be opened: its files are damaged, or the disk is full; see the cause"
              .formatted(name),
          e);
    }
  }

  /**
   * Does the periodic work: advances the clock, checks the disk space, and with {@code all} also
   * does the housekeeping of each queue.
   */
  public void tick(boolean all) {
    settings.clock().advance();
    settings.space().check();
    if (all) {
      queues.values().forEach(it -> it.housekeeping().run());
      list();
    }
  }

  private void list() {
    queues.values().forEach(it -> it.housekeeping().list());
    listed = true;
  }

  @Override
  public Optional<Storage> storage() {
    if (!listed) {
      list();
    }
    List<ChronicleMessageQueue> open =
        queues.values().stream().sorted(Comparator.comparing(ChronicleMessageQueue::name)).toList();
    try {
      return Optional.of(
          new Storage(
              data.resolve(QUEUES),
              volume,
              settings.space().reserveBytes(volume.getTotalSpace()),
              roll(),
              open.stream().map(it -> it.housekeeping().storage()).toList()));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the size of the volume of %s cannot be read".formatted(data), e);
    }
  }

  /** How long one file is written to. */
  private Duration roll() {
    return FileLengths.of(settings.host().roll());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    housekeeper.close();
    List.copyOf(queues.values()).forEach(ChronicleMessageQueue::close);
    releaseIfUnused();
  }

  private void ended(ChronicleMessageQueue queue) {
    queues.remove(queue.name(), queue);
    releaseIfUnused();
  }

  /** The data directory stays locked until the last queue has closed its files. */
  private synchronized void releaseIfUnused() {
    if (closed && !released && queues.isEmpty()) {
      released = true;
      lock.close();
    }
  }
}
