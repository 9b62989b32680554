/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.capacity.ServiceSample;
import io.forebay.machine.Machine;
import io.forebay.operations.Durability;
import io.forebay.operations.LockHolder;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.SetAside;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.service.Latency;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import io.forebay.service.errors.BlockingMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A service with its two queues, which are started, watched, operated and closed together.
 * Thread-safe. The javadoc of writers and readers says whether they are.
 *
 * @param <I> the protocol of the calls
 * @param <O> the protocol of the answers
 */
public class HostedService<I, O> implements ServiceOperations, AutoCloseable {

  private final Service<I, O> service;
  private final @Nullable HostedService<?, I> source;
  private final ServiceSampler sampler;

  /** The next stage of a pipeline, whose in-queue is the out-queue of this one. */
  private volatile @Nullable HostedService<O, ?> next;

  /**
   * @param service not started yet; it and its queues are closed with this
   */
  public HostedService(Service<I, O> service) {
    this(service, null);
  }

  /**
   * @param service not started yet; it and its queues are closed with this
   * @param source the service whose out-queue is its in-queue, which is then not closed; null if
   *     its in-queue is its own
   */
  protected HostedService(Service<I, O> service, @Nullable HostedService<?, I> source) {
    this.service = service;
    this.source = source;
    sampler = new ServiceSampler(service);
    if (source != null) {
      source.next = this;
    }
  }

  /**
   * Starts performing. The next stage of a pipeline is started before, so that no answer takes a
   * position that it has already performed. On a local queue it returns after comparing the queue
   * with the progress of the service. If the database or the brokers do not respond, it returns
   * without the comparison: calls are accepted now and performed later.
   */
  public void start() {
    HostedService<?, ?> stage = next;
    if (stage != null && !stage.isRunning()) {
      stage.start();
    }
    service.start();
  }

  /** Finishes the current batch and stops. The queues stay open and still accept calls. */
  public void stop() {
    service.stop();
  }

  /** Whether it was started and not stopped. */
  public boolean isRunning() {
    return service.isStarted();
  }

  /** Stops, and closes both queues. */
  @Override
  public void close() {
    try (MessageQueue out = out();
        MessageQueue in = source == null ? in() : null) {
      stop();
    }
  }

  protected final Service<I, O> service() {
    return service;
  }

  /** The service whose answers it performs; empty if it has an in-queue of its own. */
  public Optional<HostedService<?, I>> source() {
    return Optional.ofNullable(source);
  }

  @Override
  public Optional<Durability> durability() {
    MessageQueue in = in();
    return Optional.of(
        new Durability(
            in.capabilities().strongest(), in.shared(), in.inMemoryFirst(), performsStreams()));
  }

  /** Whether the door accepts streams of its calls. */
  protected boolean performsStreams() {
    return false;
  }

  /** Whether one message of its out-queue may have several answers, see {@code AnswerRun}. */
  protected boolean answersInRuns() {
    return false;
  }

  /** Where calls are accepted; of a later stage of a pipeline, where its source answers. */
  public MessageQueue in() {
    return service.in().queue();
  }

  /** Where answers are kept. */
  public MessageQueue out() {
    return service.out().queue();
  }

  /** Creates a writer for one thread; the message id determines the partition of a call. */
  public Writer<I> createWriter() {
    return service.in().protocol().writer(mustBeCallable());
  }

  /** Creates a writer for one thread; all its calls go to the partition of the key, in order. */
  public Writer<I> createWriter(String key) {
    return service.in().protocol().writer(mustBeCallable(), key);
  }

  /**
   * Creates a writer for one thread whose messages go elsewhere first; a {@link Writer#forward} of
   * another writer appends them.
   */
  public Writer<I> createWriter(Appender first) {
    return service.in().protocol().writer(mustBeCallable(), first);
  }

  /** The calls that a writer of this service sends, after they were checked. */
  public I calls(Writer<I> writer) {
    return writer.calls();
  }

  /** Creates a writer for one thread; all its calls go to the partition. */
  Writer<I> createWriter(int partition) {
    return service.in().protocol().writer(mustBeCallable(), partition);
  }

  /**
   * The queue that accepts calls.
   *
   * @throws IllegalStateException if it is a later stage of a pipeline
   */
  MessageQueue mustBeCallable() {
    if (source != null) {
      throw new IllegalStateException(
          "service %s performs the answers of service %s, and nothing else can call it; call %s"
              .formatted(name(), source.name(), source.name()));
    }
    return in();
  }

  /**
   * @throws DecisionRefused if no message can be sent to it again, because it is a later stage of a
   *     pipeline
   */
  public void mustTakeReplays() {
    if (source != null) {
      throw new DecisionRefused(
          "%s performs the answers of service %s, so nothing can be sent to it; correct the cause and send the call to the first stage again; nothing was sent"
              .formatted(name(), source.name()));
    }
  }

  /** Creates a reader for one thread, which passes all answers still kept to {@code answers}. */
  public Reader<O> createReader(O answers) {
    return service.out().protocol().reader(out(), answers);
  }

  /** The worst state of its partitions, with its reason, or the outage of its queues. */
  public ServiceState state() {
    return service.state();
  }

  /** The state of each partition assigned to this instance. */
  public Map<Integer, ServiceState> states() {
    return service.states();
  }

  /**
   * The position behind the last call of a partition that was performed and answered, or -1 before
   * the start and if the partition is not assigned to this instance.
   */
  public long position(int partition) {
    return service.position(partition);
  }

  @Override
  public ServiceSample sample(Instant now, ServiceView view) {
    return sampler.sample(now, view, lostNanos());
  }

  @Override
  public String name() {
    return service.name();
  }

  @Override
  public List<String> queues() {
    return List.of(in().name(), out().name());
  }

  @Override
  public Optional<String> stageBefore() {
    return source().map(HostedService::name);
  }

  @Override
  public ServiceView view() {
    return HostedView.of(this);
  }

  /** The session that holds a lock for which it waits; empty if it waits for none. */
  protected Optional<LockHolder> lockHolder() {
    return Optional.empty();
  }

  /** The state of the beans that receive its answers; empty if all is well or there are none. */
  protected Optional<ServiceState> receiving() {
    return Optional.empty();
  }

  /** How many calls it answered with a failure; 0 if its component does not count them. */
  protected long failed() {
    return 0;
  }

  /** The time that its workers lost to calls that fail: those beside them are performed again. */
  protected long lostNanos() {
    return 0;
  }

  /** The message that a partition retries without success; null if there is none. */
  protected @Nullable BlockingMessage waitsFor(int partition) {
    return service.blocked().message(partition);
  }

  @Override
  public boolean failMessage(int partition, long position, String reason) {
    return service.blocked().fail(partition, position, reason);
  }

  @Override
  public Optional<Duration> keptFor() {
    return in().keptFor();
  }

  @Override
  public boolean keepsUnperformed() {
    return in().keepsWhatIsNeeded();
  }

  @Override
  public void pause(String reason) {
    service.pause(reason);
  }

  @Override
  public void hold(String reason) {
    service.hold(reason);
  }

  @Override
  public void release() {
    service.release();
  }

  @Override
  public void resume() {
    service.resume();
  }

  /** Drains the stages before it first. */
  @Override
  public boolean drain(Duration timeout) throws InterruptedException {
    if (source == null) {
      in().stopAccepting();
      return service.drain(timeout);
    }
    long begun = Machine.nanos();
    return source.drain(timeout) && service.drain(timeout.minusNanos(Machine.nanos() - begun));
  }

  @Override
  public List<SetAside> setAside(int partition) {
    List<SetAside> damaged = new ArrayList<>();
    IllegalStateException sound = null;
    for (MessageQueue queue : List.of(in(), out())) {
      try {
        damaged.add(new SetAside(queue.name(), queue.setAside(partition)));
      } catch (IllegalStateException e) {
        sound = e;
      }
    }
    if (damaged.isEmpty() && sound != null) {
      throw sound;
    }
    return damaged;
  }

  @Override
  public Latency latency() {
    return service.latency();
  }

  @Override
  public String toString() {
    return service.toString();
  }
}
