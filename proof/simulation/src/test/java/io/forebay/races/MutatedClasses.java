/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Loads the product and a scenario once more, with mutations of some classes. */
final class MutatedClasses extends ClassLoader {

  private static final String PRODUCT = "io.forebay.";
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String own = MutatedClasses.class.getPackageName() + ".";
  private final List<Mutation> mutations;
  private final ProtectionDomain domain;

  MutatedClasses(List<Mutation> mutations) throws IOException {
    super("mutated", MutatedClasses.class.getClassLoader());
    this.mutations = mutations;
    // Fray keeps what it made of a class by its place and its name.
    URI place = URI.create("file:/mutated/%d/".formatted(COUNT.incrementAndGet()));
    domain = new ProtectionDomain(new CodeSource(place.toURL(), (Certificate[]) null), null);
    for (Mutation mutation : mutations) { // here, so that none is taken for a race
      try (InputStream in = resource(mutation.className())) {
        mutation.applyTo(in.readAllBytes());
      }
    }
  }

  private InputStream resource(String name) {
    return getParent().getResourceAsStream(name.replace('.', '/') + ".class");
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PRODUCT) || name.startsWith(own)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = resource(name)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      for (Mutation mutation : mutations) {
        if (name.equals(mutation.className())) {
          bytes = mutation.applyTo(bytes);
        }
      }
      return defineClass(name, bytes, 0, bytes.length, domain);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
