/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.events;

import io.forebay.jdbc.subscribe.PublishedResult;
import io.forebay.jdbc.subscribe.ResultSubscription;
import io.forebay.jdbc.subscribe.ResultSubscription.Polled;
import io.forebay.jdbc.subscribe.ResultsExpired;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber: an asynchronous request whose response has no end. It is written to by one thread
 * at a time, and only what its connection takes at once. It ends after the same time as an {@link
 * EventStream}. Thread-safe.
 */
public final class EventSubscriber {

  /** How often it is written to before it is the turn of the others. */
  private static final int MOST_TURNS = 4;

  private static final Logger log = LoggerFactory.getLogger(EventSubscriber.class);

  private enum State {
    /** Nothing to do. */
    IDLE,
    /** The thread of the {@link EventDelivery} will deliver. */
    QUEUED,
    /** A thread delivers. */
    DELIVERING,
    /** A thread delivers, and there is more since it began. */
    AGAIN
  }

  private final EventDelivery delivery;
  private final ResultSubscription subscription;
  private final Predicate<PublishedResult> wanted;
  private final Function<PublishedResult, byte[]> document;
  private final AsyncContext async;
  private final ServletOutputStream out;
  private final BooleanSupplier admitted;
  private final Runnable atEnd;
  private final long endNanos = System.nanoTime() + EventStream.LONGEST.toNanos();
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Held while the response is written to, which does not wait, and while it is ended. */
  private final ReentrantLock writing = new ReentrantLock();

  private volatile boolean over;

  /** The container has left the request to this object. */
  private volatile boolean opened;

  private volatile long signNanos = System.nanoTime() + EventStream.SIGN.toNanos();
  private boolean unflushed;

  private EventSubscriber(
      EventDelivery delivery,
      ResultSubscription subscription,
      Predicate<PublishedResult> wanted,
      Function<PublishedResult, byte[]> document,
      AsyncContext async,
      BooleanSupplier admitted,
      Runnable atEnd)
      throws IOException {
    this.delivery = delivery;
    this.subscription = subscription;
    this.wanted = wanted;
    this.document = document;
    this.async = async;
    this.out = async.getResponse().getOutputStream();
    this.admitted = admitted;
    this.atEnd = atEnd;
  }

  /**
   * Sends results until the client has gone or may no longer receive them, the time is over or the
   * service stops. Returns at once. The head of the response has been sent.
   *
   * @param request supports asynchronous processing
   * @param wanted which results are sent
   * @param document the text of a result, without line breaks
   * @param admitted whether the client may still receive results; asked often, must not wait
   * @param atEnd called when nothing is sent any more, by any thread
   * @throws IOException if nothing will be sent
   */
  public static void begin(
      HttpServletRequest request,
      HttpServletResponse response,
      EventDelivery delivery,
      ResultSubscription subscription,
      Predicate<PublishedResult> wanted,
      Function<PublishedResult, byte[]> document,
      BooleanSupplier admitted,
      Runnable atEnd)
      throws IOException {
    AsyncContext async = request.startAsync(request, response);
    try {
      async.setTimeout(0);
      EventSubscriber subscriber =
          new EventSubscriber(delivery, subscription, wanted, document, async, admitted, atEnd);
      async.addListener(subscriber.new End());
      subscription.onResult(subscriber::signal);
      subscriber.out.setWriteListener(subscriber.new Writing());
      delivery.add(subscriber);
    } catch (IOException | RuntimeException e) {
      async.complete();
      throw e;
    }
  }

  /** There may be something to send. Does not wait. */
  void signal() {
    State before =
        state.getAndUpdate(now ->
            switch (now) {
              case IDLE -> State.QUEUED;
              case QUEUED -> State.QUEUED;
              case DELIVERING, AGAIN -> State.AGAIN;
            });
    if (before == State.IDLE) {
      delivery.signal(this);
    }
  }

  void signalIfDue() {
    if (System.nanoTime() - signNanos >= 0 || isOver()) {
      signal();
    }
  }

  private boolean isOver() {
    return over
        || !delivery.isRunning()
        || subscription.isOver()
        || System.nanoTime() - endNanos >= 0
        || !admitted.getAsBoolean();
  }

  /** Sends what there is. Called by the thread of the {@link EventDelivery}. */
  void deliver(EventBuffer buffer) {
    if (state.compareAndSet(State.QUEUED, State.DELIVERING)) {
      run(buffer, false);
    }
  }

  private void catchUp() {
    run(new EventBuffer(), true);
  }

  /**
   * @param mayRead whether this thread may wait for the disk
   */
  private void run(EventBuffer buffer, boolean mayRead) {
    do {
      state.set(State.DELIVERING);
      try {
        switch (send(buffer, mayRead)) {
          case ALL -> {}
          case MORE -> {
            state.set(State.QUEUED);
            delivery.signal(this);
            return;
          }
          case BEHIND -> {
            Thread.ofVirtual().name("forebay-events-behind").start(this::catchUp);
            return;
          }
        }
      } catch (ResultsExpired | QueueUnavailable | QueueFailed | IOException e) {
        end(); // the subscriber connects again, and the answer says why it cannot continue
      } catch (RuntimeException | Error e) { // the thread goes on with the others
        if (!over) { // the container may end the response at any moment
          log.error("Events to a subscriber failed", e);
        }
        end();
      }
    } while (!state.compareAndSet(State.DELIVERING, State.IDLE));
  }

  /**
   * Sends until there is nothing more, or the connection takes no more for now.
   *
   * @return BEHIND if it must read the queue, and may not; MORE if the others come first
   */
  private Polled send(EventBuffer buffer, boolean mayRead) throws IOException {
    int turns = 0;
    while (opened && !over) {
      if (isOver()) {
        end();
        return Polled.ALL;
      }
      if (!isFlushed()) {
        return Polled.ALL; // the container signals when the connection takes more
      }
      if (!mayRead && ++turns > MOST_TURNS) {
        return Polled.MORE;
      }
      buffer.clear();
      Polled polled =
          subscription.poll(
              result -> {
                if (wanted.test(result)) {
                  buffer.result(subscription.position(), document.apply(result));
                }
                return !buffer.isFull();
              },
              mayRead);
      if (polled == Polled.ALL && System.nanoTime() - signNanos >= 0) {
        buffer.position(subscription.position());
      }
      if (!buffer.isEmpty()) {
        write(buffer);
      } else if (polled != Polled.MORE) {
        return polled;
      }
    }
    return Polled.ALL;
  }

  /** Whether the connection takes more: all that was written is on its way. */
  private boolean isFlushed() throws IOException {
    writing.lock();
    try {
      if (over || !out.isReady()) {
        return false;
      }
      if (unflushed) {
        unflushed = false;
        out.flush();
        return out.isReady();
      }
      return true;
    } finally {
      writing.unlock();
    }
  }

  private void write(EventBuffer buffer) throws IOException {
    writing.lock();
    try {
      if (!over) {
        signNanos = System.nanoTime() + EventStream.SIGN.toNanos();
        buffer.writeTo(out);
        unflushed = true;
      }
    } finally {
      writing.unlock();
    }
  }

  /** Ends the response; nothing is sent after it. */
  void end() {
    writing.lock(); // what is being written is complete before the container uses its buffers again
    try {
      over = true;
    } finally {
      writing.unlock();
    }
    try {
      async.complete();
    } catch (IllegalStateException _) {
      // the container has ended it
    } catch (RuntimeException e) {
      log.error("The event stream of a subscriber could not be closed", e);
    }
  }

  private void release() {
    over = true;
    if (ended.compareAndSet(false, true)) {
      delivery.remove(this);
      atEnd.run();
    }
  }

  private final class Writing implements WriteListener {

    @Override
    public void onWritePossible() {
      opened = true;
      if (delivery.isRunning()) {
        signal();
      } else {
        end();
      }
    }

    /** The client has gone, or has taken nothing for too long. */
    @Override
    public void onError(Throwable failure) {
      end();
    }
  }

  private final class End implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
      release();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      end();
    }

    @Override
    public void onError(AsyncEvent event) {
      end();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }
}
