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
 * A statement of the catalogue, as it was when it was looked up. It accepts the same values as the
 * door. Thread-safe.
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
   * The reference {@code name@version:fingerprint}, which a message may carry instead of SQL text.
   * The arguments are then the values of the parameters, in their order. The message fails unless
   * the catalogue contains this version with this text and these parameters.
   */
  public String reference() {
    return entry.reference();
  }

  /** The service that performs it. */
  public String service() {
    return gateway.name();
  }

  /** The names of the parameters, in their order. */
  public List<String> parameters() {
    return entry.params().stream().map(Param::name).toList();
  }

  /** The names of the required parameters. */
  public List<String> required() {
    return entry.params().stream().filter(it -> !it.nullable()).map(Param::name).toList();
  }

  /** The shortest time that results are kept. Idempotency keys are kept 24 h longer. */
  public Duration resultsKept() {
    return gateway.service().resultsKept();
  }

  /**
   * Counts the outcomes of statements that were handed over with idempotency keys.
   *
   * @param ids message ids, see {@code Message.keyedId}; statements that were not performed, or
   *     whose keys have expired, are not counted
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public ResultCounts count(Collection<UUID> ids) {
    return gateway.results().count(ids);
  }

  /**
   * Reads a text for each parameter by its type: as in JSON, without the quotes. An empty text of a
   * nullable parameter is null.
   *
   * @param texts in the order of {@link #parameters}; null for a missing value
   * @throws InvalidRecord if they do not match the parameters; the message lists all errors
   */
  public Bound bind(@Nullable String[] texts) throws InvalidRecord {
    List<FieldError> errors = new ArrayList<>(0);
    return bound(ParameterReader.read(texts, entry, errors), errors);
  }

  /**
   * Reads a JSON object of named parameters.
   *
   * @param from where its UTF-8 text begins
   * @param to where it ends
   * @throws InvalidRecord if it is not a JSON object or does not match the parameters; the message
   *     lists all errors
   */
  public Bound bindJson(byte[] bytes, int from, int to) throws InvalidRecord {
    List<FieldError> errors = new ArrayList<>(0);
    try (JsonInput in = new JsonInput(bytes, from, to)) {
      if (in.parser().nextToken() == null) {
        throw new InvalidRecord("must be an object of named parameters");
      }
      @Nullable Object[] values = ParameterReader.read(in, entry, "", errors);
      if (in.parser().nextToken() != null) {
        throw new InvalidRecord("must end after the object");
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
     * Hands the statement over with an idempotency key: it has one effect, however often it is
     * handed over with the same key. Returns at once; {@link Pending#awaitAccepted} waits until it
     * is accepted.
     *
     * @param client the client that assigns the key
     * @throws io.forebay.queue.QueueRefused if the queue refuses it
     */
    public Pending<?> handOver(String client, String key) {
      Statements keyed = gateway.client().keyed(client, key);
      String partitionKey = entry.partitionKey(values);
      return gateway.handOver(
          partitionKey == null ? keyed : keyed.partitionedBy(partitionKey), entry, values);
    }

    /** The arguments, in the order of their placeholders in the text. */
    public List<@Nullable Object> arguments() {
      return Arrays.asList(entry.arguments(values));
    }
  }
}
