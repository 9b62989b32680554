/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.StatementCatalogue.Known;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.Audit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that may be sent, by name, and older versions to which messages may still refer,
 * with the results of their check by the databases. Immutable.
 */
public final class Catalogue {

  /** The most statements that an entry of the audit names, before and after the change. */
  private static final int MOST_LISTED = 10;

  private final List<CatalogueEntry> all;
  private final Map<String, Map<String, SqlFailure>> failures;
  private final Map<String, CatalogueEntry> newest = new LinkedHashMap<>();
  private final Map<String, Map<String, CatalogueEntry>> byReference = new HashMap<>();

  /** By gateway, then by SQL text, reference, or {@code name@}. */
  private final Map<String, Map<String, Known>> known = new HashMap<>();

  /**
   * @param failures the SQL texts that a database refuses to prepare, by gateway; a gateway is
   *     missing until its database has checked the catalogue
   */
  Catalogue(List<CatalogueEntry> all, Map<String, Map<String, SqlFailure>> failures) {
    this.all = List.copyOf(all);
    this.failures = Map.copyOf(failures);
    for (CatalogueEntry entry : all) {
      newest.merge(entry.name(), entry, (a, b) -> a.version() > b.version() ? a : b);
      Map<String, CatalogueEntry> its =
          byReference.computeIfAbsent(entry.gateway(), _ -> new HashMap<>());
      its.put(entry.reference(), entry);
      its.put(CatalogueEntry.reference(entry.name(), entry.version()), entry);
    }
    all.stream()
        .sorted(Comparator.comparing(CatalogueEntry::version).reversed())
        .forEach(this::learn);
  }

  private void learn(CatalogueEntry entry) {
    Map<String, Known> its = known.computeIfAbsent(entry.gateway(), _ -> new HashMap<>());
    List<String> params = entry.params().stream().map(Param::name).toList();
    Known byName = entry.known(params);
    its.putIfAbsent(entry.name() + "@", entry.known(List.of()));
    its.put(CatalogueEntry.reference(entry.name(), entry.version()), byName);
    its.put(entry.reference(), byName);
    its.merge(
        entry.sql(),
        entry.known(entry.placeholders().stream().map(params::get).toList()),
        (newer, older) ->
            new Known(
                newer.name(),
                newer.parameters(),
                newer.independent() || older.independent(),
                newer.explains() && older.explains()));
  }

  /** Returns the same statements with the result of the check by one gateway's database. */
  Catalogue checked(String gateway, Map<String, SqlFailure> refused) {
    Map<String, Map<String, SqlFailure>> all = new HashMap<>(failures);
    all.put(gateway, Map.copyOf(refused));
    return new Catalogue(this.all, all);
  }

  /** Whether the gateway's database has checked the catalogue. */
  public boolean isChecked(String gateway) {
    return failures.containsKey(gateway);
  }

  /** Returns why the database refuses to prepare a statement; null if it does not. */
  public @Nullable SqlFailure failure(CatalogueEntry entry) {
    return failures.getOrDefault(entry.gateway(), Map.of()).get(entry.sql());
  }

  /** Returns ready; broken; or unchecked until the database has responded. */
  public String state(CatalogueEntry entry) {
    if (failure(entry) != null) {
      return "broken";
    }
    return isChecked(entry.gateway()) ? "ready" : "unchecked";
  }

  /** As {@link io.forebay.jdbc.StatementCatalogue#known}. */
  @Nullable Known known(String gateway, String text) {
    Map<String, Known> its = known.getOrDefault(gateway, Map.of());
    Known exact = its.get(text);
    return exact == null && StatementTexts.isReference(text)
        ? its.get(text.substring(0, text.indexOf('@') + 1))
        : exact;
  }

  /** Returns the newest version of this statement. */
  @Nullable
  public CatalogueEntry find(String name) {
    return newest.get(name);
  }

  @Nullable
  public CatalogueEntry find(String name, int version) {
    return all.stream()
        .filter(entry -> entry.name().equals(name) && entry.version() == version)
        .findFirst()
        .orElse(null);
  }

  /**
   * @throws NoSuchElementException if no statement has this reference; the message names what
   *     exists instead
   */
  public CatalogueEntry find(String gateway, String reference) {
    CatalogueEntry entry = byReference.getOrDefault(gateway, Map.of()).get(reference);
    if (entry == null) {
      throw new NoSuchElementException(
          "the catalogue of this instance has %s".formatted(instead(gateway, reference)));
    }
    return entry;
  }

  private String instead(String gateway, String reference) {
    String name = reference.substring(0, reference.indexOf('@'));
    List<CatalogueEntry> versions =
        of(gateway).stream().filter(entry -> entry.name().equals(name)).toList();
    if (versions.isEmpty()) {
      return "no statement %s of gateway %s".formatted(name, gateway);
    }
    int colon = reference.indexOf(':');
    String id = colon < 0 ? reference : reference.substring(0, colon);
    boolean changed =
        versions.stream()
            .anyMatch(entry -> CatalogueEntry.reference(name, entry.version()).equals(id));
    return changed
        ? id + " with another text or other parameters"
        : "%s in version %s only"
            .formatted(
                name,
                versions.stream()
                    .map(entry -> Integer.toString(entry.version()))
                    .collect(Collectors.joining(", ")));
  }

  /** Returns the newest version of each statement, in the order of the files. */
  public Collection<CatalogueEntry> entries() {
    return newest.values();
  }

  /** Returns all versions of all statements, in the order of the files. */
  List<CatalogueEntry> all() {
    return all;
  }

  /** Returns all versions of the gateway's statements. */
  List<CatalogueEntry> of(String gateway) {
    return all.stream().filter(entry -> entry.gateway().equals(gateway)).toList();
  }

  /** What a reload changes, for the audit: statements by name, version and fingerprint. */
  Audit.Change changes(Catalogue next) {
    return Audit.Change.between(fields(next), next.fields(this));
  }

  /** The fingerprint of all statements, and those that the other catalogue does not have. */
  private SequencedMap<String, String> fields(Catalogue other) {
    SortedSet<String> words = words();
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    fields.put("fingerprint", CatalogueReader.fingerprint(words.toString()));
    words.removeAll(other.words());
    String some = words.stream().limit(MOST_LISTED).collect(Collectors.joining("; "));
    int more = words.size() - MOST_LISTED;
    fields.put("statements", more > 0 ? "%s; %,d more".formatted(some, more) : some);
    return fields;
  }

  private SortedSet<String> words() {
    return all.stream().map(CatalogueEntry::words).collect(Collectors.toCollection(TreeSet::new));
  }
}
