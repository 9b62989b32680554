/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.pastalab.fray.instrumentation.base.JDKInstrumenterKt;

/**
 * Writes a jar with the classes of the module {@code java.base}, to which Fray's calls are added at
 * each lock, wait and atomic operation. {@code --patch-module} puts them in the place of the JDK's.
 * Fray's own Maven plugin links a whole JDK instead, which needs one with jmods.
 */
final class JavaBase {

  private static final String MADE_FROM = "made-from";

  /** Changes with this class, so that a jar of an earlier build is made again. */
  private static final String FORMAT = "2";

  private static final String CLASS = ".class";
  private static final String MODULE = "module-info.class";
  private static final String THREADS = "java/lang/ThreadBuilders.class";

  private JavaBase() {}

  public static void main(String[] args) throws IOException, URISyntaxException {
    Path jar = Path.of(args[0]);
    Path runtime = jarOf(org.pastalab.fray.runtime.Runtime.class);
    String madeFrom =
        "%s, %s, %s".formatted(Runtime.version(), jarOf(JDKInstrumenterKt.class), FORMAT);
    if (Files.exists(jar) && madeFrom.equals(madeFrom(jar))) {
      return;
    }
    Files.createDirectories(jar.getParent());
    Path partial = Path.of(jar + ".partial");
    try (OutputStream file = Files.newOutputStream(partial);
        JarOutputStream out = new JarOutputStream(file)) {
      out.setLevel(1);
      addInstrumented(out);
      addAll(runtime, out);
      out.putNextEntry(new JarEntry(MADE_FROM));
      out.write(madeFrom.getBytes(UTF_8));
    }
    Files.move(partial, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String madeFrom(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile());
        InputStream in = file.getInputStream(file.getEntry(MADE_FROM))) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static Path jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void addInstrumented(JarOutputStream out) throws IOException {
    Path module = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
    List<Path> classes;
    try (Stream<Path> files = Files.walk(module)) {
      classes =
          files
              .filter(it -> it.toString().endsWith(CLASS) && !it.endsWith(MODULE))
              .sorted()
              .toList();
    }
    for (Path one : classes) {
      String name = module.relativize(one).toString();
      out.putNextEntry(new JarEntry(name));
      try (InputStream in = Files.newInputStream(one)) {
        byte[] instrumented = JDKInstrumenterKt.instrumentClass("/java.base/" + name, in);
        out.write(name.equals(THREADS) ? withoutVirtual(instrumented) : instrumented);
      }
    }
  }

  /** Fray knows no virtual threads: they are platform threads, made as their builder makes them. */
  private static byte[] withoutVirtual(byte[] builders) {
    ClassFile format = ClassFile.of();
    ClassDesc thread = ClassDesc.of("java.lang.Thread");
    return format.transformClass(
        format.parse(builders),
        ClassTransform.transformingMethods(
            it -> it.methodName().equalsString("newVirtualThread"),
            (method, element) -> {
              if (element instanceof CodeModel) {
                method.withCode(code ->
                    code.new_(thread)
                        .dup()
                        .aconst_null()
                        .aload(code.parameterSlot(1))
                        .iload(code.parameterSlot(2))
                        .aload(code.parameterSlot(3))
                        .lconst_0()
                        .invokespecial(
                            thread,
                            "<init>",
                            MethodTypeDesc.ofDescriptor(
                                "(Ljava/lang/ThreadGroup;Ljava/lang/String;ILjava/lang/Runnable;J)V"))
                        .areturn());
              } else {
                method.with(element);
              }
            }));
  }

  private static void addAll(Path runtime, JarOutputStream out) throws IOException {
    try (JarFile file = new JarFile(runtime.toFile())) {
      for (JarEntry entry : file.stream().toList()) {
        if (entry.getName().endsWith(CLASS) && !entry.getName().endsWith(MODULE)) {
          out.putNextEntry(new JarEntry(entry.getName()));
          out.write(file.getInputStream(entry).readAllBytes());
        }
      }
    }
  }
}
