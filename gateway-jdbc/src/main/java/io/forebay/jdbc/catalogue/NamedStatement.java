/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.StatementClient.Statements;
import io.forebay.jdbc.ledger.ResultCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * A statement of the catalogue, as it was when it was looked up. It takes the values that the door
 * takes, by the same rules. Thread-safe.
 */
public final class NamedStatement {

  private final CatalogueEntry entry;
  private final DoorGateway gateway;

  NamedStatement(CatalogueEntry entry, DoorGateway gateway) {
    this.entry = entry;
    this.gateway = gateway;
  }

  public String name() {
    return entry.name();
  }

  /**
   * What a message may carry instead of SQL text, where the values of its parameters, in their
   * order, are the arguments: {@code name@version:fingerprint}. It is performed only as long as the
   * catalogue has this version with this text and these parameters; else it fails.
   */
  public String reference() {
    return entry.reference();
  }

  /** The names of its parameters, in their order. */
  public List<String> parameters() {
    return entry.params().stream().map(Param::name).toList();
  }

  /** The names of those that must be given. */
  public List<String> required() {
    return entry.params().stream().filter(it -> !it.nullable()).map(Param::name).toList();
  }

  /** How long its results are kept at least; its idempotency keys are remembered 24 h longer. */
  public Duration resultsKept() {
    return gateway.service().resultsKept();
  }

  /**
   * Counts how statements ended that were handed over with idempotency keys.
   *
   * @param ids of messages, see {@code Message.keyedId}; those that were not performed, or whose
   *     keys are forgotten, are not counted
   * @throws io.forebay.service.progress.Unavailable if the database does not answer
   */
  public ResultCounts count(Collection<UUID> ids) {
    return gateway.results().count(ids);
  }

  /**
   * Reads a text for each parameter by its type: as in JSON, without the quotes. An empty text of a
   * parameter that may be null is null.
   *
   * @param texts in the order of {@link #parameters}; null where there is none
   * @throws InvalidRecord if the statement does not take them; the message tells all that is wrong
   */
  public Bound bind(@Nullable String[] texts) throws InvalidRecord {
    List<FieldError> errors = new ArrayList<>(0);
    return bound(ParameterReader.read(texts, entry, errors), errors);
  }

  /**
   * Reads a JSON object of named parameters.
   *
   * @param from where its text begins, in UTF-8
   * @param to where it ends
   * @throws InvalidRecord if it is none, or the statement does not take it; the message tells all
   *     that is wrong
   */
  public Bound bindJson(byte[] bytes, int from, int to) throws InvalidRecord {
    List<FieldError> errors = new ArrayList<>(0);
    try (JsonInput in = new JsonInput(bytes, from, to)) {
      if (in.parser().nextToken() == null) {
        throw new InvalidRecord("must be an object of named parameters");
      }
      @Nullable Object[] values = ParameterReader.read(in, entry, "", errors);
      if (in.parser().nextToken() != null) {
        throw new InvalidRecord("there is something behind the object");
      }
      return bound(values, errors);
    } catch (JacksonException _) {
      throw new InvalidRecord("cannot be read as JSON");
    }
  }

  private Bound bound(@Nullable Object[] values, List<FieldError> errors) throws InvalidRecord {
    if (!errors.isEmpty()) {
      throw new InvalidRecord(errors);
    }
    return new Bound(values);
  }

  /** The statement with its arguments. */
  public final class Bound {

    private final @Nullable Object[] values;

    private Bound(@Nullable Object[] values) {
      this.values = values;
    }

    /**
     * Hands it over with an idempotency key: it has one effect, however often it is handed over
     * with the same. Returns at once; it is accepted when {@link Pending#awaitAccepted} says so.
     *
     * @param client who gives the key
     * @throws io.forebay.queue.QueueRefused if the queue does not take it
     */
    public Pending<?> handOver(String client, String key) {
      Statements keyed = gateway.client().keyed(client, key);
      String partitionKey = entry.partitionKey(values);
      return gateway.handOver(
          partitionKey == null ? keyed : keyed.partitionedBy(partitionKey), entry, values);
    }

    /** In the order in which the text of the statement has them. */
    public List<@Nullable Object> arguments() {
      return Arrays.asList(entry.arguments(values));
    }
  }
}
