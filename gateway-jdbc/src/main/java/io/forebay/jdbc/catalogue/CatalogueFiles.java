/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;

/** The files of the catalogue, which are read at each call. */
public final class CatalogueFiles {

  private final ResourcePatternResolver resources;
  private final List<String> locations;
  private final String fallback;

  /**
   * @param locations files or file patterns; each must match a file
   * @param fallback the file that is read if there are no locations; it may be missing
   */
  public CatalogueFiles(
      ResourcePatternResolver resources, List<String> locations, String fallback) {
    this.resources = resources;
    this.locations = locations;
    this.fallback = fallback;
  }

  /** Describes the locations, for messages. */
  String describe() {
    return locations.isEmpty() ? fallback : String.join(", ", locations);
  }

  /**
   * @param lanes the services of all lanes; null if they are not known
   * @throws CatalogueInvalid if the catalogue has errors
   */
  Catalogue read(List<String> gateways, @Nullable Set<String> lanes) {
    CatalogueReader reader = new CatalogueReader(gateways, lanes);
    try {
      if (locations.isEmpty()) {
        Resource file = resources.getResource(fallback);
        if (file.exists()) {
          read(reader, fallback, file);
        }
      }
      for (String location : locations) {
        Resource[] found = resources.getResources(location);
        Arrays.sort(found, Comparator.comparing(Resource::getDescription));
        if (found.length == 0 || !found[0].exists()) {
          reader.missing(location);
          continue;
        }
        for (Resource file : found) {
          read(reader, found.length == 1 ? location : file.getURI().toString(), file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Catalogue cannot be read (" + describe() + ")", e);
    }
    return reader.catalogue();
  }

  private static void read(CatalogueReader reader, String name, Resource file) throws IOException {
    try (InputStream content = file.getInputStream()) {
      reader.read(name, content);
    }
  }
}
