/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.Call;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.machine.Machine;
import io.forebay.operations.messages.StatementNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Resolves and checks the texts of statements: references to the catalogue, and SQL text if the
 * gateway accepts it. Thread-safe.
 *
 * <p>Called for each statement; for SQL text it allocates nothing.
 */
public final class StatementTexts {

  private static final int MAX_REFERENCE = 127;
  private static final Pattern REFERENCE =
      Pattern.compile("[-._0-9A-Za-z]{1,100}@[0-9]{1,9}(:[0-9a-f]{16})?");

  private static final String UNKNOWN = "26000"; // invalid SQL statement name
  private static final String NOT_PERMITTED = "42501"; // insufficient privilege
  private static final String WRONG_ARGUMENTS = "07001";

  private final String gateway;
  private final boolean acceptText;
  private final StatementCatalogue catalogue;
  private final SqlFailure noText;
  private final FailureNotes failures;
  private final StatementTimes times;

  public StatementTexts(String gateway, boolean acceptText, StatementCatalogue catalogue) {
    this.gateway = gateway;
    this.acceptText = acceptText;
    this.catalogue = catalogue;
    this.failures = new FailureNotes(gateway, catalogue, Machine.wall());
    this.times = new StatementTimes(gateway, catalogue);
    this.noText =
        new SqlFailure(
            NOT_PERMITTED,
            0,
            SqlFailure.Kind.UNSUPPORTED,
            ("gateway %1$s accepts no SQL text (forebay.gateways.%1$s.accept-text is"
                    + " false); nothing was performed; send a statement of the catalogue as"
                    + " name@version")
                .formatted(gateway));
  }

  /**
   * Names the statements of messages for those who look into queues.
   *
   * @param lanes the gateway of the service of each lane
   */
  public static StatementNames names(StatementCatalogue catalogue, Map<String, String> lanes) {
    return (queue, text) -> {
      if (isReference(text)) {
        return text;
      }
      int dot = queue.lastIndexOf('.');
      String service = dot < 0 ? queue : queue.substring(0, dot);
      return catalogue.nameOf(lanes.getOrDefault(service, service), text);
    };
  }

  /** Logs failing statements. */
  public FailureNotes failures() {
    return failures;
  }

  /** Measures how long statements take. */
  public StatementTimes times() {
    return times;
  }

  /**
   * Whether the caller of a request that failed may know what it failed on: the catalogue says so
   * for its text, or for the texts of all its updates.
   */
  public boolean explains(Request request) {
    return request instanceof Request.Together(List<Request.Single> updates)
        ? updates.stream().allMatch(update -> explains(update.sql()))
        : explains(request.sql());
  }

  private boolean explains(String sql) {
    StatementCatalogue.Known known = catalogue.known(gateway, sql);
    return known != null && known.explains();
  }

  /** Whether statements of a text may be performed before earlier ones: the catalogue says so. */
  boolean isIndependent(String sql) {
    StatementCatalogue.Known known = catalogue.known(gateway, sql);
    return known != null && known.independent();
  }

  /** The name of a request, or of its first update, as {@link #nameOf(String)}. */
  public @Nullable String nameOf(Request request) {
    return nameOf(request.sql());
  }

  /**
   * The name of a statement in the catalogue, also if its version was refused. Null if it is SQL
   * text, which may contain values, or a name that the catalogue does not have: senders can invent
   * any number of them.
   *
   * @param text as in a message
   */
  public @Nullable String nameOf(String text) {
    return catalogue.nameOf(gateway, text);
  }

  /** The names of the parameters of a text of a message; empty if the catalogue lacks it. */
  public List<String> parametersOf(String text) {
    StatementCatalogue.Known known = catalogue.known(gateway, text);
    return known == null ? List.of() : known.parameters();
  }

  /** Whether SQL text is performed. */
  public boolean acceptsText() {
    return acceptText;
  }

  /**
   * Checks a text for the sender, so that the call is refused rather than answered with a failure.
   *
   * @throws IllegalArgumentException if it is SQL text and the gateway accepts none
   */
  public void mustAccept(String text) {
    if (!acceptText && !isReference(text)) {
      throw new IllegalArgumentException(
          ("gateway %1$s accepts no SQL text (forebay.gateways.%1$s.accept-text is"
                  + " false, the default on Kafka); nothing was sent; send a statement of the"
                  + " catalogue as name@version, or set the property to true")
              .formatted(gateway));
    }
  }

  /** As {@link #mustAccept(String)}, for each of them. */
  public void mustAccept(List<Call> calls) {
    if (!acceptText) {
      calls.forEach(call -> mustAccept(call.sql()));
    }
  }

  /**
   * What a text asks, or that it is refused.
   *
   * @param type of the rows of a query; null for an update
   */
  public Request request(String text, @Nullable Object[] args, @Nullable Class<?> type) {
    boolean query = type != null;
    if (!isReference(text)) {
      return acceptText
          ? new Request.Single(text, args, type)
          : new Request.Refused(query, noText, "");
    }
    SqlFailure why;
    try {
      StatementCatalogue.Entry entry = catalogue.find(gateway, text);
      if (entry.isQuery() == query) {
        return new Request.Single(entry.sql(), entry.arguments(args), type);
      }
      why =
          SqlFailure.unsupported(
              query
                  ? text + " is an update; send it with executeUpdate or executeTogether"
                  : text + " is a query; send it with executeQuery");
    } catch (NoSuchElementException e) {
      String message = "%s; %s was not performed".formatted(e.getMessage(), text);
      why = new SqlFailure(UNKNOWN, 0, SqlFailure.Kind.UNSUPPORTED, message);
    } catch (IllegalArgumentException e) {
      String message = text + ": " + e.getMessage();
      why = new SqlFailure(WRONG_ARGUMENTS, 0, SqlFailure.Kind.STATEMENT, message);
    }
    return new Request.Refused(query, why, text);
  }

  /** What calls ask that are performed together, or that they are refused. */
  public Request request(List<Call> calls) {
    List<Request.Single> updates = new ArrayList<>(calls.size());
    for (Call call : calls) {
      switch (request(call.sql(), call.args().toArray(), null)) {
        case Request.Single update -> updates.add(update);
        case Request refused -> {
          return refused;
        }
      }
    }
    return new Request.Together(updates);
  }

  /**
   * Whether a text is {@code name@version} or {@code name@version:fingerprint}. Most SQL text is
   * longer or has a space among its first characters, which ends the check.
   */
  public static boolean isReference(String text) {
    return text.length() <= MAX_REFERENCE
        && text.indexOf(' ') < 0
        && REFERENCE.matcher(text).matches();
  }
}
