/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import io.forebay.chronicle.file.DiskSpace;
import io.forebay.chronicle.file.Host;
import io.forebay.chronicle.file.Permissions;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.file.SmallFile;
import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The directories of the queues. A queue is a directory in {@code queues} of the data directory, or
 * a symbolic link there to a directory elsewhere. So whoever knows the data directory finds all of
 * its queues, and a queue elsewhere that no link leads to belongs to somebody else.
 *
 * <p>A queue elsewhere is created in this order: its directory, the link, its files. A link to a
 * directory that does not exist therefore means that the directory is not mounted, and never that a
 * process died while creating the queue. For one thread at a time.
 */
public final class Places {

  private static final String PROPERTY = "forebay.chronicle.services.%s.directory";

  /** Where a queue is while its files are deleted. */
  private static final String DELETED = "deleted";

  private final Path queues;
  private final QueueSettings settings;
  private final Map<String, ServiceFiles> services;
  private final List<Volume> volumes = new ArrayList<>();

  /**
   * @param queues the directory of the queues in the data directory
   * @param settings those of queues in the data directory
   * @param services the services whose queues are elsewhere or roll otherwise, by name
   * @throws StartRefused if a configured directory does not exist or is not writable
   */
  public Places(Path queues, QueueSettings settings, Map<String, ServiceFiles> services)
      throws IOException {
    this.queues = queues;
    this.settings = settings;
    this.services = services;
    volumes.add(
        new Volume(queues, Files.getFileStore(queues), settings.host().space(), settings.space()));
    for (Map.Entry<String, Path> place : elsewhere().entrySet()) {
      Path directory = place.getValue();
      if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
        throw new StartRefused(
            "%s=%s is not a directory that user %s may write to; create it, or mount its volume"
                .formatted(
                    PROPERTY.formatted(place.getKey()),
                    directory,
                    System.getProperty("user.name")));
      }
      FileStore store = Files.getFileStore(directory);
      if (volumes.stream().noneMatch(it -> it.store().equals(store))) {
        DiskSpace.Probe probe = Host.probe(store);
        volumes.add(
            new Volume(directory, store, probe, settings.space().of(directory.toString(), probe)));
      }
    }
  }

  /** The configured directories outside of the data directory, by service. */
  private Map<String, Path> elsewhere() {
    Map<String, Path> directories = new TreeMap<>();
    services.forEach((service, files) -> {
      Path directory = directory(files);
      if (directory != null) {
        directories.put(service, directory);
      }
    });
    return directories;
  }

  /** Null for the data directory. */
  private @Nullable Path directory(ServiceFiles files) {
    Path given = files.directory();
    Path directory = given == null ? queues : given.toAbsolutePath().normalize();
    return directory.equals(queues.toAbsolutePath().normalize()) ? null : directory;
  }

  /** The volumes; the first one is that of the data directory. */
  public List<Volume> volumes() {
    return volumes;
  }

  /** Checks the free space of each volume. */
  public void check() {
    volumes.forEach(volume -> volume.space().check());
  }

  /** The services that are configured here but have none of these queues. */
  public List<String> without(Iterable<String> queueNames) {
    List<String> unused = new ArrayList<>(services.keySet());
    queueNames.forEach(queue -> unused.remove(service(queue)));
    return unused;
  }

  /** Queues are named after their service: {@code orders.in}, {@code orders.out}, … */
  private static String service(String queue) {
    int end = queue.lastIndexOf('.');
    return end < 0 ? queue : queue.substring(0, end);
  }

  /**
   * The place of a queue, whose directory exists afterwards.
   *
   * @throws StartRefused if the queue is elsewhere than configured, if another process has it open,
   *     or if its directory belongs to another data directory
   */
  public Place take(String queue) throws IOException {
    ServiceFiles files = services.getOrDefault(service(queue), ServiceFiles.DEFAULT);
    Path listed = queues.resolve(queue);
    Path parent = directory(files);
    Path directory = parent == null ? listed : parent.resolve(queue);
    new Moves(queue, PROPERTY.formatted(service(queue))).check(listed, directory);
    Permissions.ownDirectory(directory);
    SmallFile.forceDirectory(directory.getParent());
    InstanceLock lock = parent == null ? null : InstanceLock.take(directory);
    try {
      if (parent != null) {
        link(listed, directory);
      }
      return place(directory, lock, files);
    } catch (Throwable e) {
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
  }

  /**
   * Deletes a queue that is not open, and the link to it. A link whose directory is gone is
   * deleted, too: a deletion may have been interrupted.
   *
   * @throws StartRefused if another process has a linked queue open
   */
  public void delete(String queue) throws IOException {
    Path listed = queues.resolve(queue);
    if (!Files.isSymbolicLink(listed)) {
      delete(listed, queues.resolveSibling(DELETED));
      return;
    }
    Path directory = Moves.linked(listed);
    if (Files.isDirectory(directory)) {
      InstanceLock.take(directory).close();
      delete(directory, directory.resolveSibling(DELETED));
    }
    Files.delete(listed);
    SmallFile.forceDirectory(queues);
  }

  private static void delete(Path directory, Path aside) throws IOException {
    if (Files.isDirectory(directory)) {
      SmallFile.deleteDirectory(directory, aside);
    }
  }

  private void link(Path listed, Path directory) throws IOException {
    if (!Files.isSymbolicLink(listed)) {
      try {
        Files.createSymbolicLink(listed, directory);
      } catch (UnsupportedOperationException e) {
        throw new StartRefused(
            "the file system of %s has no symbolic links; keep all queues in the data directory"
                .formatted(queues));
      }
      SmallFile.forceDirectory(queues);
    }
  }

  private Place place(Path directory, @Nullable InstanceLock lock, ServiceFiles files)
      throws IOException {
    FileStore store = Files.getFileStore(directory);
    Volume volume =
        volumes.stream()
            .filter(it -> it.store().equals(store))
            .findFirst()
            .orElse(volumes.getFirst());
    Host host = settings.host();
    return new Place(
        directory,
        new QueueSettings(
            settings.level(),
            settings.blockBytes(),
            host.with(files.roll(host.roll()), volume.probe()),
            settings.clock(),
            volume.space()),
        volume,
        lock);
  }
}
