/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Queues that acknowledge messages late, as a shared queue does: an appender does not know the
 * position of its last message, and reports none between {@link #hold} and {@link #release}.
 */
public final class LateAcknowledgements {

  private volatile CountDownLatch released = new CountDownLatch(0);
  private final Queue<Runnable> held = new ArrayDeque<>();
  private final AtomicLong timeouts = new AtomicLong();
  private final List<WeakReference<byte[]>> appended = new CopyOnWriteArrayList<>();

  /** Acknowledges no message that is appended from now on. */
  public synchronized void hold() {
    released = new CountDownLatch(1);
  }

  /** Acknowledges what was appended, and from now on at once. */
  public synchronized void release() {
    held.forEach(Runnable::run);
    held.clear();
    released.countDown();
  }

  /** How many waits for an acknowledgement have timed out. */
  public long timeouts() {
    return timeouts.get();
  }

  /** How many of the arrays that were appended are still in use. */
  public long arraysInUse() {
    System.gc();
    return appended.stream().filter(it -> !it.refersTo(null)).count();
  }

  /** Its in-queues acknowledge late. */
  public QueueBackend over(QueueBackend backend) {
    return over(QueueBackend.class, backend);
  }

  /** A queue whose appenders acknowledge late. */
  public MessageQueue over(MessageQueue queue) {
    return over(MessageQueue.class, queue);
  }

  private synchronized void acknowledge(Runnable report) {
    if (released.getCount() == 0) {
      report.run();
    } else {
      held.add(report);
    }
  }

  private Appender.AcknowledgementListener late(Appender.AcknowledgementListener listener) {
    return (partition, ticket, position) ->
        acknowledge(() -> listener.acknowledged(partition, ticket, position));
  }

  private void await(@Nullable Object[] arguments) throws InterruptedException, TimeoutException {
    Duration timeout = (Duration) arguments[arguments.length - 1];
    if (!released.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
      timeouts.incrementAndGet();
      throw new TimeoutException("not acknowledged");
    }
  }

  private <T> T over(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (target instanceof Appender) {
                switch (method.getName()) {
                  case "position" -> {
                    return Appender.UNKNOWN_POSITION;
                  }
                  case "append" ->
                      appended.add(new WeakReference<>(((ByteBuffer) arguments[1]).array()));
                  case "await" -> await(arguments);
                  case "onAcknowledged" ->
                      arguments[0] = late((Appender.AcknowledgementListener) arguments[0]);
                  default -> {
                    // as the queue itself
                  }
                }
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return switch (result) {
                case MessageQueue queue when queue.name().endsWith(".in") -> over(queue);
                case Appender appender when method.getName().equals("appender") ->
                    over(Appender.class, appender);
                case Capabilities it ->
                    new Capabilities(it.strongest(), false, it.maxMessageBytes());
                case null, default -> result;
              };
            }));
  }
}
