/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * What an application has with the starters that it does not have without them; docs/start.md lists
 * it. With {@code -Dforebay.docs.write=true} the list is written.
 */
class AddedToAnApplicationTest {

  private static final Path PAGE = Path.of("../../docs/start.md");
  private static final Pattern LIST =
      Pattern.compile("(?<=<!-- AddedToAnApplicationTest -->\n\n```\n).*?(?=```)", Pattern.DOTALL);

  /** Types that say how Spring treats a bean, and by which nothing else finds it. */
  private static final Pattern HOW =
      Pattern.compile("java\\..*|org\\.springframework\\.(beans|context|core)\\..*");

  /** No bean of an application has such a name. The gateway is {@code main}. */
  private static final Pattern OWN_NAME =
      Pattern.compile("(forebay|main|acceptanceHealthIndicator|io\\.forebay\\.).*");

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    Job job() {
      return new Job() {
        @Override
        public String getName() {
          return "job";
        }

        @Override
        public void execute(JobExecution execution) {}
      };
    }
  }

  @TempDir Path directory;

  /** The names that an application has. */
  private record Found(
      Set<String> names,
      Set<String> beans,
      Set<String> paths,
      Set<String> filters,
      Set<String> threads) {

    static Found in(ConfigurableApplicationContext application, Set<Thread> before) {
      Set<String> names = new TreeSet<>();
      Set<String> beans = new TreeSet<>();
      for (String name : application.getBeanDefinitionNames()) {
        RootBeanDefinition bean =
            (RootBeanDefinition) application.getBeanFactory().getMergedBeanDefinition(name);
        Method method = bean.getResolvedFactoryMethod();
        Class<?> type = method == null ? application.getType(name, false) : method.getReturnType();
        Class<?> definedIn = method == null ? type : method.getDeclaringClass();
        if (type == null || definedIn == null) {
          continue;
        }
        if (!definedIn.getName().startsWith("io.forebay.")) {
          beans.add(definedIn.getPackageName().replaceFirst("(\\w+\\.\\w+\\.\\w+).*", "$1"));
        } else {
          names.add(name);
          if (bean.isDefaultCandidate()) {
            foreign(type).forEach(it -> beans.add(it.getName()));
          }
        }
      }
      Set<String> paths = new TreeSet<>();
      application
          .getBeansOfType(RequestMappingInfoHandlerMapping.class)
          .values()
          .forEach(mapping ->
              mapping
                  .getHandlerMethods()
                  .keySet()
                  .forEach(it -> it.getPatternValues().forEach(path -> paths.add(root(path)))));
      Set<String> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(it -> !before.contains(it))
              .map(it -> it.getName().replaceAll("\\d+", "n"))
              .collect(Collectors.toCollection(TreeSet::new));
      return new Found(
          names,
          beans,
          paths,
          new TreeSet<>(
              ((ServletWebServerApplicationContext) application)
                  .getServletContext()
                  .getFilterRegistrations()
                  .keySet()),
          threads);
    }

    /** The first types above that are not Forebay's. */
    private static Stream<Class<?>> foreign(@Nullable Class<?> type) {
      if (type == null || type == Object.class || HOW.matcher(type.getName()).matches()) {
        return Stream.of();
      }
      return type.getName().startsWith("io.forebay.")
          ? Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
              .flatMap(Found::foreign)
          : Stream.of(type);
    }

    private static String root(String path) {
      return path.replaceFirst("^(/admin|/api/v1|/actuator/[^/]+)(/.*)?$", "$1");
    }

    Found without(Found others) {
      BinaryOperator<Set<String>> difference =
          (all, less) -> {
            Set<String> left = new TreeSet<>(all);
            left.removeAll(less);
            return left;
          };
      return new Found(
          difference.apply(names, others.names),
          difference.apply(beans, others.beans),
          difference.apply(paths, others.paths),
          difference.apply(filters, others.filters),
          difference.apply(threads, others.threads));
    }
  }

  private Found start(String... more) {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(Application.class)
            .properties(
                "server.port=0",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.shutdown.access=unrestricted")
            .run(more)) {
      return Found.in(application, before);
    }
  }

  @Test
  void isListedInTheDocumentation() throws IOException {
    List<String> ours = new ArrayList<>();
    ImportCandidates.load(AutoConfiguration.class, null)
        .forEach(it -> {
          if (it.startsWith("io.forebay.")) {
            ours.add(it);
          }
        });
    assertThat(ours).hasSizeGreaterThan(20);
    Found without =
        start(
            "--spring.autoconfigure.exclude=" + String.join(",", ours),
            "--management.endpoint.health.group.readiness.include=readinessState");
    Found added =
        start("--forebay.data=" + directory.resolve("data"), "--forebay.default-gateway=main")
            .without(without);

    assertThat(added.names).hasSizeGreaterThan(50).allMatch(OWN_NAME.asMatchPredicate());
    assertThat(added.threads).isNotEmpty().allMatch(it -> it.matches("(?i)(forebay|hsqldb).*"));
    String list =
        Stream.of(
                lines("bean", added.beans),
                lines("path", added.paths),
                lines("filter", added.filters))
            .flatMap(it -> it)
            .collect(Collectors.joining());
    String page = Files.readString(PAGE);
    if (Boolean.getBoolean("forebay.docs.write")) {
      page = LIST.matcher(page).replaceFirst(Matcher.quoteReplacement(list));
      Files.writeString(PAGE, page);
    }
    Matcher listed = LIST.matcher(page);
    assertThat(listed.find()).isTrue();
    assertThat(listed.group()).isEqualTo(list);
  }

  private static Stream<String> lines(String kind, Set<String> names) {
    return names.stream().map(it -> "%-7s%s%n".formatted(kind, it));
  }
}
