/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.Configured;
import io.forebay.app.command.WrongUsage;
import io.forebay.app.queue.Printer.Format;
import io.forebay.app.queue.Printer.OutputClosed;
import io.forebay.app.queue.Request.Action;
import io.forebay.app.queue.Request.Option;
import io.forebay.hosting.messages.Listing;
import io.forebay.hosting.messages.PartitionReader;
import io.forebay.hosting.messages.StatementNames;
import io.forebay.operations.DataDirectory;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * {@code queue ls | dump | tail | grep}: prints what is in the queues of a service that runs or is
 * stopped. {@code queue replay} copies messages for a test. It reads the service's configuration,
 * but starts no service and logs nothing.
 */
public final class QueueCommand {

  private static final int FOUND = 0;
  private static final int NOTHING_FOUND = 1;
  private static final int FAILED = 2;

  private static final long LAST = 10;
  private static final long PAUSE_NANOS = 100_000_000;

  private final Request request;
  private final Selection selection;
  private final boolean values;
  private final long partition;
  private final long limit;
  private final Printer printer;
  private StatementNames names = StatementNames.none();
  private long printed;
  private boolean failed;
  private boolean found = true;

  /**
   * @throws WrongUsage if the arguments cannot be used
   */
  private QueueCommand(Request request) {
    this.request = request;
    boolean tail = request.action() == Action.TAIL;
    selection = request.selection();
    values = request.has(Option.VALUES);
    partition = request.number(Option.PARTITION, 0, -1);
    limit = request.number(Option.LIMIT, 1, tail ? LAST : Long.MAX_VALUE);
    String format = Objects.requireNonNullElse(request.value(Option.FORMAT), "yaml");
    printer = new Printer(Format.of(format), new FileOutputStream(FileDescriptor.out));
    if (request.action() == Action.GREP && !selection.hasFields()) {
      throw new WrongUsage("queue grep needs --id, --key or --statement");
    }
    if (request.action() == Action.REPLAY) {
      Replay.check(request);
    }
  }

  /** Whether the arguments of the process are for this command. */
  public static boolean isMeant(String[] arguments) {
    return arguments.length > 0 && arguments[0].equals("queue");
  }

  /**
   * Performs the command.
   *
   * @return the exit status
   */
  public static int run(String[] arguments) {
    List<String> own = Arrays.asList(arguments).subList(1, arguments.length);
    if (own.contains("--help") || own.equals(List.of("help"))) {
      System.out.print(Request.USAGE);
      return FOUND;
    }
    try {
      QueueCommand command = new QueueCommand(Request.of(own));
      try (ConfigurableApplicationContext context =
          Configured.context(Beans.class, command.request.configuration())) {
        StoredQueues queues = context.getBeanProvider(StoredQueues.class).getIfAvailable();
        if (queues == null) {
          throw new WrongUsage(
              "forebay.backend=%s stores no queues that can be read (allowed: chronicle, kafka)"
                  .formatted(context.getEnvironment().getProperty("forebay.backend")));
        }
        if (command.request.action() != Action.LS) {
          command.names = ConfiguredCatalogue.names(context);
        }
        return command.perform(queues, context.getBean(DataDirectory.class));
      }
    } catch (OutputClosed _) {
      return FOUND;
    } catch (WrongUsage e) {
      System.err.printf("%s%n\"queue --help\" lists the commands and options%n", e.getMessage());
      return FAILED;
    } catch (RuntimeException | Error e) {
      System.err.println(Configured.reason(e));
      return FAILED;
    }
  }

  @QueueReading
  static final class Beans {}

  private int perform(StoredQueues queues, DataDirectory data) {
    List<StoredQueue> selected = selected(queues);
    switch (request.action()) {
      case LS ->
          selected.forEach(queue ->
              guarded(() -> print(Listing.of(queue, partitions(queue), queues.contiguous()))));
      case DUMP -> selected.forEach(this::dump);
      case GREP -> {
        selected.forEach(this::dump);
        found = printed > 0;
      }
      case TAIL -> tail(selected);
      case REPLAY -> replay(selected.getFirst(), data);
    }
    printer.flush();
    if (failed) {
      return FAILED;
    }
    return found ? FOUND : NOTHING_FOUND;
  }

  private List<StoredQueue> selected(StoredQueues queues) {
    List<StoredQueue> all = queues.queues();
    if (all.isEmpty()) {
      System.err.println("There are no queues in " + queues.place());
    }
    String name = request.value(Option.QUEUE);
    if (name == null) {
      return all;
    }
    List<StoredQueue> named = all.stream().filter(it -> it.name().equals(name)).toList();
    if (named.isEmpty()) {
      throw new WrongUsage(
          "--queue=%s does not exist in %s (queues: %s)"
              .formatted(
                  name,
                  queues.place(),
                  all.stream().map(StoredQueue::name).collect(Collectors.joining(", "))));
    }
    int partitions = named.getFirst().partitions();
    if (partition >= partitions) {
      throw new WrongUsage(
          "--partition=%d does not exist in queue %s (partitions: 0 to %d)"
              .formatted(partition, name, partitions - 1));
    }
    return named;
  }

  /** Those of the queue that are selected. */
  private List<Integer> partitions(StoredQueue queue) {
    return IntStream.range(0, queue.partitions())
        .filter(it -> partition < 0 || it == partition)
        .boxed()
        .toList();
  }

  /** Reports a queue or partition that cannot be read, so that the others are read. */
  private void guarded(Runnable reading) {
    try {
      reading.run();
    } catch (OutputClosed e) {
      throw e;
    } catch (RuntimeException e) {
      printer.flush();
      System.err.println(Configured.reason(e));
      failed = true;
    }
  }

  private boolean print(Map<String, Object> fields) {
    printer.print(fields);
    printed++;
    return printed < limit;
  }

  private void dump(StoredQueue queue) {
    guarded(() -> {
      for (int one : partitions(queue)) {
        if (printed < limit) {
          try (PartitionReader reader = new PartitionReader(queue, one, values, names)) {
            long first = selection.begin(reader.toStart());
            reader.readSingly(
                first,
                selection.end(reader.end()),
                stored -> !selection.takes(stored) || print(stored.fields()));
          }
        }
      }
    });
  }

  private void replay(StoredQueue queue, DataDirectory data) {
    Replay replay = new Replay(request, selection, queue, names);
    long copied = replay.copy(data.path(), partitions(queue), limit);
    printer.print(Map.of("copied", copied));
    found = copied > 0;
  }

  private void tail(List<StoredQueue> selected) {
    List<PartitionReader> readers = new ArrayList<>();
    for (StoredQueue queue : selected) {
      guarded(() ->
          partitions(queue)
              .forEach(one -> readers.add(new PartitionReader(queue, one, values, names))));
    }
    readers.forEach(reader -> guarded(() -> last(reader).forEach(this::print)));
    printer.flush();
    if (request.has(Option.FOLLOW)) {
      follow(readers);
    }
    readers.forEach(PartitionReader::close);
  }

  /** The last selected messages there are now, oldest first. */
  private Deque<Map<String, Object>> last(PartitionReader reader) {
    long begin = selection.begin(reader.toStart());
    long end = selection.end(reader.end());
    Deque<Map<String, Object>> last = new ArrayDeque<>();
    for (long distance = limit; last.size() < limit; distance *= 8) {
      long from = end - begin <= distance ? begin : end - distance;
      last.clear();
      reader.readSingly(
          from,
          end,
          stored -> {
            if (selection.takes(stored)) {
              if (last.size() == limit) {
                last.removeFirst();
              }
              last.addLast(stored.fields());
            }
            return true;
          });
      if (from == begin) {
        break;
      }
    }
    return last;
  }

  /** Until Ctrl-C, or until nobody reads the output any more. */
  private void follow(List<PartitionReader> readers) {
    Thread atInterrupt = new Thread(() -> Runtime.getRuntime().halt(FOUND));
    Runtime.getRuntime().addShutdownHook(atInterrupt);
    try {
      while (!readers.isEmpty()) {
        long before = printed;
        readers.forEach(this::printNew);
        printer.flush();
        if (printed == before) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    } finally {
      Runtime.getRuntime().removeShutdownHook(atInterrupt);
    }
  }

  private void printNew(PartitionReader reader) {
    reader.readSingly(
        reader.position(),
        selection.end(reader.end()),
        stored -> {
          if (selection.takes(stored)) {
            print(stored.fields());
          }
          return true;
        });
  }
}
