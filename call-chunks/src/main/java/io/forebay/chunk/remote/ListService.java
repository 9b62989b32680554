/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service that performs a list of calls at once. A bean such as
 *
 * <pre>{@code
 * @Bean
 * ListService<Long, Customer> customers(CustomerRepository repository) {
 *   return ListService.inOrder(
 *       "customers", ChunkCodec.of(Long.class, Customer.class), repository::readAll);
 * }
 * }</pre>
 *
 * can be called in two ways:
 *
 * <ul>
 *   <li>over HTTP, {@code POST /api/v1/chunks/customers}, in an application with a web server that
 *       decides with a {@link ChunkGrants} bean who may call it;
 *   <li>over the queues {@code customers.in} and {@code customers.out} of the active backend, one
 *       message per chunk; {@link io.forebay.chunk.Chunked} injects a service that does this.
 * </ul>
 *
 * <p>A chunk that arrives over HTTP is performed at most once, unless its caller sends it again. A
 * chunk from the queue is performed at least once. When the process dies, the current chunk of each
 * partition is performed again at the next start, and no other. On Kafka this can also happen when
 * the brokers are unavailable or the partition moves to another process. An effect that must happen
 * once therefore needs an idempotency key in the argument, such as the key that a job gives to its
 * calls.
 *
 * <p>Immutable. HTTP requests call the function from several threads at once; the queue uses one
 * thread per partition.
 *
 * @param <A> the argument of a call
 * @param <R> its result
 */
public final class ListService<A, R extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(ListService.class);
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");

  /**
   * Performs calls that may fail individually.
   *
   * @param <A> the argument of a call
   * @param <R> its result
   */
  @FunctionalInterface
  public interface Replying<A, R extends @Nullable Object> {

    /**
     * @param arguments one per call; unmodifiable
     * @return one reply per call, in any order. A {@link Reply.Failure} with a {@link
     *     ServiceFailed} fails that call with its code; with any other exception it has the code
     *     {@link ServiceFailed#INTERNAL_ERROR}
     * @throws ServiceFailed fails all calls of the chunk with its code
     * @throws Exception fails all calls of the chunk with {@link ServiceFailed#INTERNAL_ERROR}, and
     *     is logged; so does an error
     */
    List<Reply<R>> perform(List<A> arguments) throws Exception;
  }

  private final String name;
  private final ChunkCodec<A, R> codec;
  private final ChunkFunction<A, R> function;
  private final int partitions;

  private ListService(
      String name, ChunkCodec<A, R> codec, ChunkFunction<A, R> function, int partitions) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of service %s must be a lower-case letter and then up to 39 lower-case letters, digits and hyphens"
              .formatted(name));
    }
    this.name = name;
    this.codec = codec;
    this.function = function;
    this.partitions = partitions;
  }

  /**
   * A service whose function returns results in the order of the arguments. An exception of the
   * function fails the whole chunk, as with {@link Replying}.
   *
   * @param name names its path and its queues; it must stay the same for the life of the data
   * @throws IllegalArgumentException if the name is not a lower-case letter and then up to 39
   *     lower-case letters, digits and hyphens
   */
  public static <A, R extends @Nullable Object> ListService<A, R> inOrder(
      String name, ChunkCodec<A, R> codec, ChunkFunction.InOrder<A, R> function) {
    return new ListService<>(name, codec, ChunkFunction.inOrder(function), 1);
  }

  /** Like {@link #inOrder}, for a function that answers or fails each call individually. */
  public static <A, R extends @Nullable Object> ListService<A, R> replying(
      String name, ChunkCodec<A, R> codec, Replying<A, R> function) {
    return new ListService<>(
        name,
        codec,
        arguments -> CompletableFuture.completedFuture(function.perform(arguments)),
        1);
  }

  /**
   * Sets how many partitions its queues have when they are created. This is also the number of
   * chunks from the queue that are performed concurrently; default 1.
   */
  public ListService<A, R> withPartitions(int count) {
    return new ListService<>(name, codec, function, count);
  }

  public String name() {
    return name;
  }

  /** The encoding of its arguments and replies. */
  public ChunkCodec<A, R> codec() {
    return codec;
  }

  /**
   * Its function, for calls within this process.
   *
   * @param as has the types of {@link #codec()}
   */
  @SuppressWarnings("unchecked")
  <B, S extends @Nullable Object> ChunkFunction<B, S> function(ChunkCodec<B, S> as) {
    return (ChunkFunction<B, S>) function;
  }

  int partitions() {
    return partitions;
  }

  /**
   * Performs calls and encodes the replies.
   *
   * @throws ServiceFailed if the chunk fails as a whole
   */
  byte[] perform(List<A> arguments) {
    try {
      List<Reply<R>> replies =
          arguments.isEmpty()
              ? List.of()
              : function
                  .perform(Collections.unmodifiableList(arguments))
                  .toCompletableFuture()
                  .get();
      return codec.writeReplies(withCodes(replies));
    } catch (ServiceFailed e) {
      throw e;
    } catch (ExecutionException e) {
      throw internal(e.getCause());
    } catch (Exception | Error e) {
      // Also catches errors such as a stack overflow: otherwise the chunk would be redelivered
      // for ever.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw internal(e);
    }
  }

  private ServiceFailed internal(@Nullable Throwable cause) {
    log.error("service {} failed a chunk; all its calls fail", name, cause);
    return new ServiceFailed(
        ServiceFailed.INTERNAL_ERROR,
        "service %s failed the chunk; the log of the service says why".formatted(name));
  }

  private List<Reply<R>> withCodes(List<Reply<R>> replies) {
    List<Reply<R>> coded = new ArrayList<>(replies.size());
    int internal = 0;
    for (Reply<R> reply : replies) {
      if (reply instanceof Reply.Failure<R>(int index, Exception failure)
          && !(failure instanceof ServiceFailed)) {
        if (internal++ == 0) {
          log.error("service {} failed call {} of a chunk without a code", name, index, failure);
        }
        ServiceFailed withCode =
            new ServiceFailed(
                ServiceFailed.INTERNAL_ERROR,
                "service %s failed the call; the log of the service says why".formatted(name));
        coded.add(new Reply.Failure<>(index, withCode));
      } else {
        coded.add(reply);
      }
    }
    if (internal > 1) {
      log.error("service {} failed {} calls of that chunk without a code", name, internal);
    }
    return coded;
  }
}
