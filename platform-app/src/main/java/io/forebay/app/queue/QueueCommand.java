/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.queue.Printer.OutputClosed;
import io.forebay.app.queue.Request.Action;
import io.forebay.app.queue.Request.Option;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.messages.Messages;
import io.forebay.operations.messages.PartitionReader;
import io.forebay.operations.messages.StatementNames;
import io.forebay.operations.messages.StoredMessage;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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
  private final @Nullable UUID id;
  private final @Nullable String key;
  private final long from;
  private final long to;
  private final long partition;
  private final long limit;
  private final @Nullable Replay replay;
  private final Printer printer;
  private StatementNames names = StatementNames.none();
  private long taken;
  private boolean failed;

  /**
   * @throws WrongUsage if the arguments cannot be used
   */
  private QueueCommand(Request request) {
    this.request = request;
    id = request.id();
    key = request.value(Option.KEY);
    from = request.number(Option.FROM, 0, 0);
    to = request.number(Option.TO, 0, Long.MAX_VALUE - 1);
    partition = request.number(Option.PARTITION, 0, -1);
    limit =
        request.number(Option.LIMIT, 1, request.action() == Action.TAIL ? LAST : Long.MAX_VALUE);
    printer =
        new Printer(
            request.options().getOrDefault(Option.FORMAT, "yaml"),
            new FileOutputStream(FileDescriptor.out));
    if (request.action() == Action.GREP && id == null && key == null) {
      throw new WrongUsage("queue grep needs --id or --key");
    }
    replay = request.action() == Action.REPLAY ? new Replay(request) : null;
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
    if (replay != null) {
      replay.mustBeNew(data.path());
      replay.write(
          selected.getFirst(),
          appender ->
              read(selected.getFirst(), (one, stored) -> appender.append(one, stored.bytes())));
      printer.print(Map.of("copied", taken));
    } else if (request.action() == Action.TAIL) {
      tail(selected);
    } else {
      for (StoredQueue queue : selected) {
        guarded(() -> {
          if (request.action() == Action.LS) {
            list(queue, queues.contiguous());
          } else {
            read(queue, (_, stored) -> print(stored));
          }
        });
      }
    }
    printer.flush();
    if (failed) {
      return FAILED;
    }
    boolean searched = replay != null || request.action() == Action.GREP;
    return searched && taken == 0 ? NOTHING_FOUND : FOUND;
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

  /** The partitions of a queue that are selected. */
  private int[] partitions(StoredQueue queue) {
    return IntStream.range(0, queue.partitions())
        .filter(it -> partition < 0 || it == partition)
        .toArray();
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

  private void list(StoredQueue queue, boolean contiguous) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("queue", queue.name());
    fields.put(
        "partitions",
        Arrays.stream(partitions(queue))
            .mapToObj(it -> Messages.figures(queue, it, contiguous))
            .toList());
    printer.print(fields);
  }

  private void print(StoredMessage stored) {
    printer.print(stored.fields(names, request.has(Option.VALUES)));
  }

  /** Passes the selected messages to a taker, with their partitions. */
  private void read(StoredQueue queue, BiConsumer<Integer, StoredMessage> taker) {
    for (int one : partitions(queue)) {
      try (PartitionReader reader = new PartitionReader(queue, one)) {
        reader.read(
            Math.max(from, reader.toStart()),
            taken < limit ? Math.min(reader.end(), to + 1) : 0,
            message -> {
              message
                  .singly()
                  .filter(it -> taken < limit && it.has(id, key))
                  .forEach(it -> {
                    taker.accept(one, it);
                    taken++;
                  });
              return taken < limit;
            });
      }
    }
  }

  private void tail(List<StoredQueue> selected) {
    List<PartitionReader> readers = new ArrayList<>();
    for (StoredQueue queue : selected) {
      guarded(() -> {
        for (int one : partitions(queue)) {
          readers.add(new PartitionReader(queue, one));
        }
      });
    }
    for (PartitionReader reader : readers) {
      guarded(() -> printFrom(reader, Math.max(reader.toStart(), reader.end() - limit)));
    }
    printer.flush();
    if (request.has(Option.FOLLOW)) {
      follow(readers);
    }
    readers.forEach(PartitionReader::close);
  }

  private void printFrom(PartitionReader reader, long position) {
    reader.read(
        position,
        reader.end(),
        message -> {
          print(message);
          taken++;
          return true;
        });
  }

  /** Until Ctrl-C, or until nobody reads the output any more. */
  private void follow(List<PartitionReader> readers) {
    Thread atInterrupt = new Thread(() -> Runtime.getRuntime().halt(FOUND));
    Runtime.getRuntime().addShutdownHook(atInterrupt);
    try {
      while (!readers.isEmpty()) {
        long before = taken;
        readers.forEach(reader -> printFrom(reader, reader.position()));
        printer.flush();
        if (taken == before) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    } finally {
      Runtime.getRuntime().removeShutdownHook(atInterrupt);
    }
  }
}
